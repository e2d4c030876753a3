// One enumerator per row of isa/instructions.def.
#pragma once

#include <cstdint>

namespace ptosim {

enum class Opcode : uint16_t {
#define PTO_INSTRUCTION(NAME, ...) k##NAME,
#include "isa/instructions.def"
#undef PTO_INSTRUCTION
    kCount,
};
inline constexpr unsigned kOpcodeCount = static_cast<unsigned>(Opcode::kCount);

}  // namespace ptosim
