// How long an instruction takes on an otherwise idle chip. Knows no bits of data and no state:
// the same instruction always costs the same. What sharing adds is sim/memory's business. Which
// parameters it rests on, an open ReadScope notes (sim/model/chip_parameter.h).
#pragma once

#include "isa/core/instruction.h"
#include "sim/event/cycle.h"
#include "sim/model/chip_model.h"

namespace ptosim {

struct Cost {
    // From the start until the pipe may start its next instruction, and until the result is there
    // (latency >= 1). For transfers through shared memory: the least occupancy, and the cycles
    // from the end of the transfer.
    Cycle occupancy = 0;
    Cycle latency = 1;
    // For how much longer it holds the pipe if the pipe did not run on from the instruction before.
    Cycle fill = 0;
    bool runs_through_barriers = false;  // a barrier alone does not count as that
    // A move out of L1, and what it takes longer while MTE2 writes L1.
    bool leaves_l1 = false;
    Cycle contended = 0;

    // A transfer through memory that cores share. `view` is in the instruction's operand `global`.
    enum class Shared : uint8_t { kNone, kRead, kWrite } shared = Shared::kNone;
    uint8_t global = 0;
    uint64_t bytes = 0;
    Milli rate = 0;          // thousandths of bytes per cycle
    Milli fixed = 0;         // thousandths of cycles beside the bytes
    uint32_t row_bytes = 0;  // bytes that a row costs behind L2 besides
    uint32_t rows = 0;       // as the DMA engine takes them
};

class CostModel {
 public:
    explicit CostModel(const ChipModel& chip) : chip_{chip} {}
    explicit CostModel(const ChipModel&&) = delete;  // it must outlive the model
    Cost cost(const Instruction& instruction) const;

 private:
    Cost cube(const Instruction& instruction) const;
    Cost local_move(const Instruction& instruction) const;
    Cost load(const Instruction& instruction) const;
    Cost store(const Instruction& instruction) const;

    const ChipModel& chip_;
};

}  // namespace ptosim
