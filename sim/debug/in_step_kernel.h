// A kernel whose control flow waits until each of its instructions has been issued.
#pragma once

#include "isa/core/forwarding_port.h"

namespace ptosim::debug {

class InStepKernel final : public DerivedKernel {
 public:
    using DerivedKernel::DerivedKernel;
    bool runs_ahead() const override { return false; }
    void run(KernelPort& port, KernelArguments arguments) const override { kernel_.run(port, arguments); }
};

}  // namespace ptosim::debug
