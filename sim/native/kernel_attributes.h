// Converts attributes of the kernel ABI to attributes of an instruction.
#pragma once

#include "isa/core/instruction.h"
#include "ptosim/kernel_abi.h"

namespace ptosim {

// Applies `attribute` (its key and value: ptosim/kernel_abi.h). Returns false if this simulator does not know its key
// or value. Values of modes that the headers pass on unchanged from the C++ API are checked later by the instruction's
// legality.
bool set_attribute(Attributes& attributes, const ptosim_attribute& attribute, Arch arch);

}  // namespace ptosim
