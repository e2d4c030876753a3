// Interface of debuggers to a running program of steps.
#pragma once

#include "isa/assembly/program/program.h"

namespace ptosim::assembly {

struct Frame;

class StepListener {
 public:
    virtual ~StepListener() = default;
    // Before each step. The frame lives until on_frame_end().
    virtual void on_step(const Step& step, const Frame& frame) = 0;
    // The run of a core has ended, possibly by an exception.
    virtual void on_frame_end(const Frame& frame) = 0;
};

}  // namespace ptosim::assembly
