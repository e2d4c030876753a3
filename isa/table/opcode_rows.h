// The rows of the instruction table by name: rows::TADD. Each is defined by the source of its
// family (isa/instructions/).
#pragma once

#include "isa/table/instruction_table.h"

namespace ptosim::rows {

#define PTO_OPCODE(NAME) extern const InstructionInfo NAME;
#include "isa/opcodes.def"
#undef PTO_OPCODE

}  // namespace ptosim::rows
