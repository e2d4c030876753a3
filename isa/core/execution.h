// What instructions compute: pure functions on bytes, without time and without memory of their
// own. One file per family in isa/instructions/; what families share, in isa/semantics/.
#pragma once

#include <array>
#include <cstddef>

#include "isa/core/instruction.h"

namespace ptosim {

// The numeric profile (isa/table/profile_rules.h). kA5Templates: a5 as programmed by the templates of
// PTOAS (`--enable-tile-op-expand`), where they differ from pto-isa's headers.
enum class Numerics : uint8_t { kIEEE, kA2A3, kA5, kA5Templates };
constexpr bool is_a5(Numerics numerics) { return numerics >= Numerics::kA5; }

// An instruction with the bytes of its operands. `bytes[i]` is the host address of operand i:
// byte `tile.address` of its space, or device address `global.address`; null for scalars.
// Bounds and legality have been checked.
struct Execution {
    const Instruction& instruction;
    std::array<std::byte*, Instruction::kMaxOperands> bytes{};
    Numerics numerics = Numerics::kIEEE;
    uint64_t ub_bytes = 0;  // of the core that executes it

    const Tile& tile(unsigned i) const { return instruction.operands[i].tile; }
    const GlobalView& global(unsigned i) const { return instruction.operands[i].global; }
    const Scalar& scalar(unsigned i) const { return instruction.operands[i].scalar; }
};

using Semantics = void (*)(const Execution&);

}  // namespace ptosim
