// A numbered event of a run.
#pragma once

#include <string>

#include "isa/core/diagnostic.h"
#include "sim/debug/rule.h"

namespace ptosim::debug {

struct Moment {
    uint64_t number = 0;  // from 1
    Cycle cycle = 0;
    Happening what = Happening::kStep;
    CoreId core;
    Pipe pipe = Pipe::kS;
    uint64_t sequence = 0;  // of its instruction
    SourceLocation where;
    bool new_line = false;  // of a step
    uint64_t stack = 0;  // of a line of a compiled kernel: its stack pointer
    uint64_t iteration = 0;
    std::string text;  // the instruction, the flag, the finding; made when it is needed
};

}  // namespace ptosim::debug
