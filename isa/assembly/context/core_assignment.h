// Assigns the instructions of a kernel without sections to core types.
#pragma once

#include "isa/assembly/context/bind_context.h"

namespace ptosim::assembly {

// The only core type that can run an instruction, if there is only one.
std::optional<CoreType> core_of_plan(const IssuePlan& plan);
// Called when everything is bound.
void assign_cores(BindContext& context);

}  // namespace ptosim::assembly
