// Time of an instruction on an otherwise idle chip. It depends on no data and no state: the same instruction always has
// the same cost. sim/machine/memory adds the effect of sharing. An open ReadScope records the parameters that a cost
// depends on (sim/machine/model/chip_parameter.h).
#pragma once

#include "isa/core/instruction.h"
#include "sim/machine/event/cycle.h"
#include "sim/machine/model/chip_model.h"

namespace ptosim {

struct Cost {
    // Cycles from the start until the pipe may start its next instruction, and from then until the result is written
    // (latency >= 1). For transfers through shared memory: the least occupancy, and the cycles after the end of the
    // transfer.
    Cycle occupancy = 0;
    Cycle latency = 1;
    // Additional occupancy if the pipe did not run on from the previous instruction.
    Cycle fill = 0;
    bool runs_through_barriers = false;  // a barrier alone does not interrupt the pipe
    // For a move out of L1: additional cycles while MTE2 writes L1.
    bool leaves_l1 = false;
    Cycle contended = 0;

    // A transfer through memory that cores share. Its view is in the instruction's operand `global`.
    enum class Shared : uint8_t { kNone, kRead, kWrite } shared = Shared::kNone;
    uint8_t global = 0;
    uint64_t bytes = 0;
    Milli rate = 0;          // thousandths of bytes per cycle
    Milli far_rate = 0;      // the same, at which bytes that L2 lacks arrive at a core; 0: as the others
    Milli fixed = 0;         // thousandths of cycles in addition to the bytes
    uint32_t row_bytes = 0;  // additional bytes of each row in the memory after L2
    uint32_t rows = 0;       // as processed by the DMA engine
};

class CostModel {
 public:
    explicit CostModel(const ChipModel& chip) : chip_{chip} {}
    explicit CostModel(const ChipModel&&) = delete;  // the chip must outlive this object
    Cost cost(const Instruction& instruction) const;

 private:
    Cost cube(const Instruction& instruction) const;
    Cost local_move(const Instruction& instruction) const;
    Cost load(const Instruction& instruction) const;
    Cost store(const Instruction& instruction) const;

    const ChipModel& chip_;
};

}  // namespace ptosim
