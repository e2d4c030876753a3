// Vocabulary for the rows of the instruction table. A family's source ends with its rows:
//
//     namespace ptosim::rows {
//     #include "isa/instructions/reduce.def"
//     }
//
// so that a row may name functions private to the family; a .def file may define operand lists,
// sets of types and traits for its rows. Here is what several families need.
#pragma once

#include <array>

#include "isa/legality/legality.h"
#include "isa/table/instruction_table.h"
#include "isa/table/instruction_traits.h"
#include "isa/table/opcode_rows.h"

namespace ptosim::semantics {}

namespace ptosim::rows {

using enum DType;
using namespace ptosim::rules;
using namespace ptosim::semantics;

// Sets of element types. A name gives kinds and widths: kInts8To32 is i8, u8, i16, u16, i32, u32.
inline constexpr DTypeSet kNone{};
inline constexpr DTypeSet kF16F32{kF16, kF32};
// Signed integers and floats, without bf16.
inline constexpr DTypeSet kSigned16To32{kI16, kI32, kF16, kF32};
inline constexpr DTypeSet kInts16To32{kI16, kU16, kI32, kU32};
inline constexpr DTypeSet kInts8To32{kI8, kU8, kI16, kU16, kI32, kU32};
inline constexpr DTypeSet kInts64{kI64, kU64};
inline constexpr DTypeSet kInts8To64 = kInts8To32 | kInts64;
inline constexpr DTypeSet kInts8{kI8, kU8};
inline constexpr DTypeSet kU16U32{kU16, kU32};
inline constexpr DTypeSet kI16I32{kI16, kI32};
inline constexpr DTypeSet kBF16Only{kBF16};
inline constexpr DTypeSet kF16BF16{kF16, kBF16};
inline constexpr DTypeSet kAll8To32 = kInts8To32 | DTypeSet{kF16, kBF16, kF32};
inline constexpr DTypeSet kAll8To64 = kAll8To32 | kInts64;
inline constexpr DTypeSet kAll16To32 = kAll8To32 - kInts8;
inline constexpr DTypeSet kLowPrecision{kE4M3, kE5M2, kE8M0, kHIF8, kE2M1, kE1M2};
inline constexpr DTypeSet kFloat8{kE4M3, kE5M2, kHIF8};
inline constexpr DTypeSet kCubeA2A3{kI8, kF16, kBF16, kF32};
inline constexpr DTypeSet kI32Only{kI32};
inline constexpr DTypeSet kF32Only{kF32};

// Operand lists. Operands of vector instructions are in UB.
inline constexpr uint16_t kInUB = in_space(Space::kUB);
inline constexpr uint16_t kInUBOrL1 = kInUB | in_space(Space::kL1);

constexpr OperandInfo out(std::string_view name, uint16_t spaces = kInUB) {
    return {name, OperandRole::kOut, kTileOperand, false, spaces};
}
constexpr OperandInfo in(std::string_view name, uint16_t spaces = kInUB) {
    return {name, OperandRole::kIn, kTileOperand, false, spaces};
}
constexpr OperandInfo scalar(std::string_view name) {
    return {name, OperandRole::kIn, kScalarOperand, false, kAnySpace};
}
constexpr OperandInfo tile_or_scalar(std::string_view name) {
    return {name, OperandRole::kIn, kTileOperand | kScalarOperand, false, kInUB};
}
constexpr OperandInfo view(std::string_view name, OperandRole role) {
    return {name, role, kGlobalOperand, false, kAnySpace};
}
constexpr OperandInfo tile_or_view(std::string_view name) {
    return {name, OperandRole::kIn, kTileOperand | kGlobalOperand, false, kInUB};
}
constexpr OperandInfo untyped(OperandInfo info) {
    info.typed = false;
    return info;
}
constexpr OperandInfo optional(OperandInfo info) {
    info.optional = true;
    return info;
}
constexpr OperandInfo tmp(std::string_view name) {
    return {name, OperandRole::kTmp, kTileOperand, true, kAnySpace};
}

constexpr std::array<OperandInfo, 0> kNoOperands{};
inline constexpr std::array kUnary{out("dst"), in("src")};
inline constexpr std::array kUnaryTmp{out("dst"), in("src"), tmp("tmp")};
inline constexpr std::array kBinary{out("dst"), in("src0"), in("src1")};
inline constexpr std::array kBinaryTmp{out("dst"), in("src0"), in("src1"), tmp("tmp")};
inline constexpr std::array kBinaryScalar{out("dst"), in("src"), scalar("scalar")};
inline constexpr std::array kBinaryScalarTmp{out("dst"), in("src"), scalar("scalar"), tmp("tmp")};
constexpr OperandInfo in_out(std::string_view name) {
    return {name, OperandRole::kInOut, kTileOperand, false, kInUB};
}

inline constexpr OperandInfo kScaleTile =
    optional({"fp", OperandRole::kIn, kTileOperand, true, in_space(Space::kFixpipe)});
inline constexpr OperandInfo kScaleScalar = optional(scalar("preQuantScalar"));
inline constexpr uint16_t kStored = kInUBOrL1 | in_space(Space::kL0C);

// ---- flags that implementations set and wait for by themselves ------------------------------
inline constexpr InternalFlag kVectorToScalar{Pipe::kV, Pipe::kS, 0};
inline constexpr InternalFlag kScalarToVector{Pipe::kS, Pipe::kV, 0};
inline constexpr std::array kToScalar{kVectorToScalar};
inline constexpr std::array kToScalarAndBack{kVectorToScalar, kScalarToVector};

// ---- operands that implementations write early: dst before the last read of its source, or sources
inline constexpr std::array kOverSource{EarlyWrite{0, 1}};
inline constexpr std::array kOverSources{EarlyWrite{0, 1}, EarlyWrite{0, 2}};

// The rules of a row, followed by null.
template <typename... Rules>
constexpr std::array<const LegalityRule*, InstructionInfo::kMaxRules> rule_list(
    const Rules&... rules) {
    static_assert(sizeof...(Rules) <= InstructionInfo::kMaxRules);
    return {&rules...};
}

// Traits that several rows share, with the profile rules of one of them.
// Of maxima and minima.
inline constexpr std::string_view kExtremeRules =
    "minimum-skips-nan extremes-keep-nan extremes-keep-nan-a5";

constexpr InstructionTraits with_profile_rules(InstructionTraits traits, std::string_view rules) {
    traits.profile_rules = rules;
    return traits;
}

// Traits of a row that the assembler refuses with more of its types.
constexpr InstructionTraits refusing(InstructionTraits traits, PerArch<DTypeSet> types) {
    traits.assembler_refuses = types;
    return traits;
}

constexpr InstructionTraits with_assembler_rule(InstructionTraits traits,
                                                void (*rule)(const WrittenOperation&)) {
    traits.assembler_rule = rule;
    return traits;
}

// The last arguments of a row: its summary, and perhaps its traits.
constexpr std::string_view summary_of(std::string_view summary, const InstructionTraits& = {}) {
    return summary;
}
constexpr InstructionTraits traits_of(std::string_view, const InstructionTraits& traits = {}) {
    return traits;
}

}  // namespace ptosim::rows

#define TYPES(A2A3, A5) \
    { A2A3, A5, types_on(Arch::kKirin, A5) }
#define RULES(...) rule_list(__VA_ARGS__)
#define COMPUTES(NAME) &semantics::NAME
#define CONTROL(NAME) nullptr
#define TRAITS(...) \
    InstructionTraits { __VA_ARGS__ }
#define PTO_INSTRUCTION(NAME, ASM, ALIASES, OPERANDS, ATTRIBUTES, PIPE, TIMING, TYPES, RULES, \
                        MEANING, ...)                                                         \
    static constexpr InstructionTraits kTraitsOf##NAME = traits_of(__VA_ARGS__);              \
    constinit const InstructionInfo NAME{Opcode::k##NAME,                                     \
                                         #NAME,                                               \
                                         ASM,                                                 \
                                         ALIASES,                                             \
                                         OPERANDS,                                            \
                                         ATTRIBUTES,                                          \
                                         PipeRule::PIPE,                                      \
                                         TimingClass::TIMING,                                 \
                                         {TYPES},                                             \
                                         RULES,                                               \
                                         MEANING(NAME),                                       \
                                         summary_of(__VA_ARGS__),                             \
                                         &kTraitsOf##NAME};
