// One enumerator per row of isa/instructions/. The list of names is made from the rows when the
// project is configured (isa/CMakeLists.txt), so that a changed row does not recompile everything.
// Intrinsics (isa/intrinsics/) have the numbers after kCount, and no enumerators.
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
// The opcode of the first intrinsic: kCount itself means no instruction.
inline constexpr unsigned kFirstIntrinsic = kOpcodeCount + 1;
constexpr bool is_intrinsic(Opcode opcode) {
    return static_cast<unsigned>(opcode) >= kFirstIntrinsic;
}

}  // namespace ptosim
