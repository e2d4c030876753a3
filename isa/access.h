// Which bytes an instruction reads and writes: the base of every ordering question.
#pragma once

#include <cstdint>

#include "isa/instruction.h"

namespace ptosim {

// One contiguous range that covers what an operand touches. For global views `view` allows a
// finer answer than the range.
struct Access {
    bool global = false;
    Space space = Space::kUB;  // if not global
    bool reads = false;
    bool writes = false;
    uint8_t operand = 0;
    uint8_t peers = 0;  // ClusterCores whose memory it is; 0: the core that executes it
    uint64_t begin = 0, end = 0;  // bytes in the space, or device addresses
    const GlobalView* view = nullptr;
};

struct AccessList {
    std::array<Access, Instruction::kMaxOperands> items;
    unsigned count = 0;
    const Access* begin() const { return items.data(); }
    const Access* end() const { return items.data() + count; }
};

// By the roles of its operands. Atomic stores also read. The list points into `instruction`.
AccessList accesses(const Instruction& instruction);

// Whether the two touch a common byte and at least one of them writes it. Exact for tiles that
// are contiguous; for global views with equal row strides it compares rows and columns, otherwise
// the covering ranges.
bool conflict(const Access& a, const Access& b);

}  // namespace ptosim
