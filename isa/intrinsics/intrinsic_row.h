// Vocabulary for the rows of intrinsics; a source ends with its rows.
//
// A signature has three characters for each argument:
//   address   w (written), r (read) or u (both), its number, its shape:
//             l lanes, L U halves, e element, p pair, g blocks, h half, m bits, c run, R records,
//             E eight, S spread, q register, v selector, x other (IntrinsicShape)
//   b0-, s0-  block stride, repeat stride of address 0, in the unit of its shape
//   x--       a scalar of the element type; n-- repeat; i-- another integer
//   Rdq       the value of a register (include/ptosim/core_registers.def), here of DEQSCALE
#pragma once

#include "isa/intrinsics/intrinsic_instruction.h"
#include "isa/intrinsics/intrinsic_run.h"
#include "isa/semantics/arithmetic.h"

namespace ptosim::intrinsics {

inline constexpr uint32_t kDst = 0;  // the first operand, where there is a destination
using enum IntrinsicMasking;
inline constexpr auto kRepeats = IntrinsicWork::kRepeats;

}  // namespace ptosim::intrinsics

namespace ptosim::intrinsic_rows {

using enum DType;
using namespace ptosim::intrinsics;

inline constexpr IntrinsicForm kBinary{
    "w0l" "r1l" "r2l" "n--" "b0-" "b1-" "b2-" "s0-" "s1-" "s2-"};
inline constexpr IntrinsicForm kAccumulating{
    "u0l" "r1l" "r2l" "n--" "b0-" "b1-" "b2-" "s0-" "s1-" "s2-"};
inline constexpr IntrinsicForm kUnary{"w0l" "r1l" "n--" "b0-" "b1-" "s0-" "s1-"};
inline constexpr IntrinsicForm kWithScalar{"w0l" "r1l" "x--" "n--" "b0-" "b1-" "s0-" "s1-"};

// Element types. `all_of`: one type for all operands.
template <typename... T>
constexpr auto all_of(T... types) {
    return std::array<IntrinsicTypes, sizeof...(T)>{IntrinsicTypes{{types, types, types}}...};
}
constexpr auto pair_of(DType to, DType from) {
    return std::array<IntrinsicTypes, 1>{IntrinsicTypes{{to, from, from}}};
}
inline constexpr auto kHalfFloat = all_of(kF16, kF32);
inline constexpr auto kNumbers = all_of(kF16, kF32, kI16, kI32);
inline constexpr auto kWords16 = all_of(kI16, kU16);
inline constexpr auto kWords = all_of(kI16, kU16, kI32, kU32);
inline constexpr auto kUnsigned = all_of(kU16, kU32);
inline constexpr auto kAnyOf16And32 = all_of(kF16, kF32, kBF16, kI16, kU16, kI32, kU32);
inline constexpr std::span<const IntrinsicTypes> kBytes{};

#define PTO_INTRINSIC_OPCODE(NAME) extern const IntrinsicInfo NAME;
#include "isa/intrinsic_opcodes.def"
#undef PTO_INTRINSIC_OPCODE
#define PTO_INTRINSIC_OPCODE(NAME) extern const InstructionInfo NAME##_instruction;
#include "isa/intrinsic_opcodes.def"
#undef PTO_INTRINSIC_OPCODE

}  // namespace ptosim::intrinsic_rows

#define PTO_INTRINSIC(NAME, FORM, TYPES, TIMED_AS, COMPUTE, SUMMARY)                          \
    constinit const IntrinsicInfo NAME{                                                      \
        IntrinsicOpcode::k##NAME, #NAME, FORM, TYPES, Opcode::k##TIMED_AS, COMPUTE, SUMMARY}; \
    constinit const InstructionInfo NAME##_instruction =                                     \
        instruction_row(IntrinsicOpcode::k##NAME, #NAME, FORM, SUMMARY);
