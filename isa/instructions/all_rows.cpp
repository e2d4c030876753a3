// The rows whose family has no source of its own yet.
#include "isa/instructions/row.h"

namespace ptosim::semantics {
#define PTO_OPCODE(NAME) void NAME(const Execution&);
#include "isa/opcodes.def"
#undef PTO_OPCODE
}  // namespace ptosim::semantics

namespace ptosim::rows {
#include "isa/instructions/instructions.def"
}  // namespace ptosim::rows
