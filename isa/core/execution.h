// Results of instructions: pure functions on bytes, without time and without memory. Each family has a file in
// isa/instructions/; functions that families share are in isa/semantics/.
#pragma once

#include <array>
#include <cstddef>

#include "isa/core/instruction.h"

namespace ptosim {

// The numeric profile (isa/table/profile_rules.h). kA5Templates: a5 as programmed by the templates of
// PTOAS (`--enable-tile-op-expand`), where they differ from pto-isa's headers.
enum class Numerics : uint8_t { kIEEE, kA2A3, kA5, kA5Templates };
constexpr bool is_a5(Numerics numerics) { return numerics >= Numerics::kA5; }

// Registers that intrinsics write and read in the order of their pipe.
struct IntrinsicState {
    std::array<uint64_t, 2> cmpmask{};
    uint64_t vms4_sr = 0;      // records taken of each list of vmrgsort4, 16 bits each
    uint64_t rsvd_cnt = 0;     // elements kept by vreducev2
    uint64_t acc_val = 0;      // sum of vcadd with mode 1: an element
    uint64_t max_min_cnt = 0;  // of vcmax, vcmin: the element; its index in the upper half
    uint32_t ar = 0;           // a5: bytes that vstur has stored since sprclr
};

// An instruction with the bytes of its operands. `bytes[i]` is the host address of operand i:
// byte `tile.address` of its space, or device address `global.address`; null for scalars.
// Bounds and legality have been checked.
struct Execution {
    const Instruction& instruction;
    std::array<std::byte*, Instruction::kMaxOperands> bytes{};
    Numerics numerics = Numerics::kIEEE;
    uint64_t ub_bytes = 0;  // of the core that executes it
    // Registers of that core that intrinsics write and read.
    IntrinsicState* registers = nullptr;

    const Tile& tile(unsigned i) const { return instruction.operands[i].tile; }
    const GlobalView& global(unsigned i) const { return instruction.operands[i].global; }
    const Scalar& scalar(unsigned i) const { return instruction.operands[i].scalar; }
};

// Bytes [begin, end) of a memory.
struct ByteExtent {
    uint32_t begin = 0, end = 0;
};
// Bytes without a defined value, or with some bits that have none: a byte of a mask has bits of
// eight lanes.
struct UnsetBytes {
    uint32_t begin = 0, end = 0;
    uint8_t bits = 0xFF;  // of each byte
};

using Semantics = void (*)(const Execution&);

}  // namespace ptosim
