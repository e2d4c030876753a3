// Whether an instruction about flags and signals can be meant for a core, before it has any effect.
#pragma once

#include "isa/instruction_table.h"

namespace ptosim {

// False, with `problem` filled, if it names an id that is not there (E08 of a flag, C01 of a
// signal) or a pipe that the core does not have, or a flag from a pipe to itself (E09). True for
// all other instructions. `flag_ids` is how many flags there are for each pair of pipes.
bool check_flag(const Instruction& instruction, CoreType core, unsigned flag_ids, Problem& problem);

}  // namespace ptosim
