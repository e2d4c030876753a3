// Conditions of an instruction that depend on its core: flags, pipes and on-chip memories that
// exist. Each function returns true if the condition holds, or fills `problem`.
#pragma once

#include "isa/core/execution.h"
#include "isa/table/instruction_table.h"
#include "sim/machine/model/chip_model.h"

namespace ptosim {

// An instruction about flags and signals names ids that exist (E08 of a flag or buffer, C01 of a
// signal) and two different pipes of this core (E09). `flag_ids`: flags of each pair of pipes.
bool check_flag(const Instruction& instruction, CoreType core, unsigned flag_ids, Problem& problem);
// The core has the pipe (L01).
bool check_pipe(const Instruction& instruction, Pipe pipe, CoreType core, Problem& problem);
// All tiles lie in their buffers: A01, A02, A03.
bool check_tiles(const Instruction& instruction, CoreType core, const ChipModel& model,
                 Problem& problem);

}  // namespace ptosim
