// One enumerator per row of isa/instructions/. The list of names is made from the rows when the
// project is configured (isa/CMakeLists.txt), so that a changed row does not recompile everything.
#pragma once

#include <cstdint>

namespace ptosim {

enum class Opcode : uint16_t {
#define PTO_OPCODE(NAME) k##NAME,
#include "isa/opcodes.def"
#undef PTO_OPCODE
    kCount,
};
inline constexpr unsigned kOpcodeCount = static_cast<unsigned>(Opcode::kCount);

}  // namespace ptosim
