// Whether an instruction's operands lie in memory that is there, before it has any effect.
// (Alignment is a matter of the architecture: isa/legality.)
#pragma once

#include "isa/instruction_table.h"
#include "sim/memory/global_memory.h"
#include "sim/model/chip_model.h"

namespace ptosim {

// False, with `problem` filled, if a tile does not lie in its buffer (A01 no such buffer on this
// core, A02 larger than the buffer, A03 beyond its end) or a view leaves every allocation (G01).
bool check_addresses(const Instruction& instruction, CoreType core, const ChipModel& model,
                     const GlobalMemory& global, Problem& problem);
// The part of it that looks at views: whether they hold, and what is wrong if they do not.
bool views_hold(const Instruction& instruction, const GlobalMemory& global);
bool check_views(const Instruction& instruction, const GlobalMemory& global, Problem& problem);

}  // namespace ptosim
