// Attributes of the kernel ABI as those of an instruction.
#pragma once

#include "isa/core/instruction.h"
#include "ptosim/kernel_abi.h"

namespace ptosim {

// Sets what `attribute` says (its key and value: ptosim/kernel_abi.h). False if this simulator
// does not know its key, or its value. The values of modes that the headers pass on as they are in
// the C++ API are left to the instruction's legality.
bool set_attribute(Attributes& attributes, const ptosim_attribute& attribute, Arch arch);

}  // namespace ptosim
