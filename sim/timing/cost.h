// How long an instruction takes on an otherwise idle chip. Knows no bits of data and no state:
// the same instruction always costs the same. What sharing adds is sim/memory's business.
#pragma once

#include "isa/instruction.h"
#include "sim/model/chip_model.h"
#include "sim/timing/cycle.h"

namespace ptosim {


struct Cost {
    // From the start until the pipe may start its next instruction, and until the result is there
    // (latency >= 1). For transfers through shared memory: the least occupancy, and the cycles
    // from the end of the transfer.
    Cycle occupancy = 0;
    Cycle latency = 1;

    // A transfer through memory that cores share: so many bytes, at most this fast.
    enum class Shared : uint8_t { kNone, kRead, kWrite } shared = Shared::kNone;
    uint64_t bytes = 0;
    Milli rate = 0;  // thousandths of bytes per cycle
};

class CostModel {
 public:
    explicit CostModel(const ChipModel& chip) : chip_{chip} {}
    Cost cost(const Instruction& instruction) const;

 private:
    Cost vector(const Instruction& instruction) const;
    Cost vector_row(const Instruction& instruction) const;
    Cost vector_column(const Instruction& instruction) const;
    Cost vector_by_element(const Instruction& instruction) const;
    Cost cube(const Instruction& instruction) const;
    Cost local_move(const Instruction& instruction) const;
    Cost load(const Instruction& instruction) const;
    Cost store(const Instruction& instruction) const;

    const ChipModel& chip_;
};

}  // namespace ptosim
