// What the rows of the instruction table are written with. A family's source ends with its rows:
//
//     namespace ptosim::rows {
//     #include "isa/instructions/reduce.def"
//     }
//
// so that a row may name functions private to the family.
#pragma once

#include <array>

#include "isa/arch_types.h"
#include "isa/instruction_table.h"
#include "isa/instruction_traits.h"
#include "isa/instructions/assembler_rules.h"
#include "isa/legality.h"
#include "isa/opcode_rows.h"

namespace ptosim::semantics {}

namespace ptosim::rows {

using enum DType;
using namespace ptosim::rules;
using namespace ptosim::semantics;

// Sets of element types. A name says kinds and widths: kInts8To32 is i8, u8, i16, u16, i32, u32.
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
inline constexpr DTypeSet kSignedInts8To32{kI8, kI16, kI32};
inline constexpr DTypeSet kBF16Only{kBF16};
inline constexpr DTypeSet kF16BF16{kF16, kBF16};
inline constexpr DTypeSet kAll8To32 = kInts8To32 | DTypeSet{kF16, kBF16, kF32};
inline constexpr DTypeSet kAll8To64 = kAll8To32 | kInts64;
inline constexpr DTypeSet kAll16To32 = kAll8To32 - kInts8;
inline constexpr DTypeSet kLowPrecision{kE4M3, kE5M2, kE8M0, kHIF8, kE2M1, kE1M2};
inline constexpr DTypeSet kFloat8{kE4M3, kE5M2, kHIF8};
inline constexpr DTypeSet kCubeA2A3{kI8, kF16, kBF16, kF32};
inline constexpr DTypeSet kCubeA5 = kCubeA2A3 | DTypeSet{kE4M3, kE5M2, kHIF8};
inline constexpr DTypeSet kMx{kE4M3, kE5M2, kE2M1, kE1M2};
inline constexpr DTypeSet kI32Only{kI32};
inline constexpr DTypeSet kF32Only{kF32};
inline constexpr DTypeSet kInts32{kI32, kU32};
inline constexpr DTypeSet kComparedA2A3{kI32, kU16, kI16, kF16, kF32};
inline constexpr DTypeSet kF32F16I16{kF32, kF16, kI16};
inline constexpr DTypeSet kI8I16{kI8, kI16};
inline constexpr DTypeSet kConvertedA2A3{kF32, kF16, kBF16, kI16, kI32, kI64, kU8, kI8, kI4};
inline constexpr DTypeSet kConvertedA5{kF32, kF16, kBF16, kI16,  kI32,  kI64,  kU8,
                                       kI8,  kU32, kE4M3, kE5M2, kHIF8, kE1M2, kE2M1};

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
inline constexpr std::array kCompareScalar{out("dst"), in("src"),
                                           untyped(tile_or_scalar("scalar"))};
inline constexpr std::array kEitherScalar{out("dst"), tile_or_scalar("src0"),
                                          tile_or_scalar("src1")};
inline constexpr std::array kFillScalar{out("dst", kInUBOrL1), scalar("scalar")};
inline constexpr std::array kRange{out("dst"), scalar("start"), tmp("tmp")};
constexpr OperandInfo in_out(std::string_view name) {
    return {name, OperandRole::kInOut, kTileOperand, false, kInUB};
}
inline constexpr std::array kTernary{out("dst"), in("src0"), in("src1"), in("src2")};
inline constexpr std::array kScalarBetween{out("dst"), in("src0"), scalar("scalar"), in("src1")};
inline constexpr std::array kAccumulateScalar{in_out("dst"), in("src"), scalar("scalar")};
inline constexpr std::array kAccumulateBinary{in_out("dst"), in("src0"), in("src1")};
inline constexpr std::array kScaledSum{out("dst"), in("src0"), in("src1"), scalar("deqScale"),
                                       tmp("tmp")};
inline constexpr std::array kSelect{out("dst"), untyped(in("mask")), in("src0"), in("src1"),
                                    tmp("tmp")};
inline constexpr std::array kSelectScalar{out("dst"), untyped(in("mask")), in("src"), tmp("tmp"),
                                          scalar("scalar")};
inline constexpr std::array kInterleave{out("dst1"), out("dst0"), in("src1"), in("src0")};
inline constexpr std::array kDeinterleave{out("dst1"), out("dst0"), in("src1"),
                                          optional(in("src0"))};
inline constexpr std::array kTriangle{out("dst"), scalar("diagonal")};
inline constexpr std::array kRandom{out("dst"),         scalar("key0"),     scalar("key1"),
                                    scalar("counter0"), scalar("counter1"), scalar("counter2"),
                                    scalar("counter3")};
inline constexpr std::array kPartArg{out("dst"),    in("src0"),    in("src1"),
                                     out("dstIdx"), in("src0Idx"), in("src1Idx")};
inline constexpr std::array kSort{out("dst"), in("src"), in("idx"), tmp("tmp")};
inline constexpr std::array kMerge{out("dst"),
                                   tmp("tmp"),
                                   in("src0"),
                                   optional(in("src1")),
                                   optional(in("src2")),
                                   optional(in("src3")),
                                   optional(scalar("blockLen")),
                                   optional(out("executed"))};
inline constexpr std::array kGather{out("dst"),
                                    in("src"),
                                    optional(in("indices")),
                                    optional(untyped(tile_or_scalar("kValue"))),
                                    tmp("tmp"),
                                    optional(out("cdst"))};
inline constexpr std::array kConcatIndexed{out("dst"),    in("src0"),    in("src1"),
                                           in("src0Idx"), in("src1Idx"), optional(out("dstIdx"))};
inline constexpr std::array kQuantiseMx{out("dst"), in("src"),      out("exp"),
                                        out("max"), out("scaling"), optional(out("exp_zz"))};
inline constexpr std::array kReduceArgument{out("dst"), in("src"), tmp("tmp"),
                                            optional(out("dstVal"))};
inline constexpr std::array kGatherBlocks{out("dst"), in("src"), in("offsets")};
inline constexpr std::array kScatter{out("dst"), in("src"), optional(in("indexes"))};
inline constexpr std::array kMemoryGather{out("dst", kInUBOrL1), view("mem", OperandRole::kIn),
                                          untyped(tile_or_view("idx")),
                                          optional(view("scratch", OperandRole::kTmp))};
inline constexpr std::array kMemoryScatter{view("mem", OperandRole::kOut), in("src"),
                                           untyped(in("idx"))};
inline constexpr std::array kHistogram{out("dst"), in("src"), in("idx")};
inline constexpr std::array kQuantise{out("dst"), in("src"), in("fp"), optional(in("offset")),
                                      tmp("tmp")};
inline constexpr std::array kDequantise{out("dst"), in("src"), in("scale"), in("offset")};
inline constexpr std::array kReduce{out("dst"), in("src"), tmp("tmp")};

inline constexpr OperandInfo kScaleTile =
    optional({"fp", OperandRole::kIn, kTileOperand, true, in_space(Space::kFixpipe)});
inline constexpr OperandInfo kScaleScalar = optional(scalar("preQuantScalar"));
inline constexpr uint16_t kStored = kInUBOrL1 | in_space(Space::kL0C);
inline constexpr std::array kLoadOperands{out("dst", kInUBOrL1), view("src", OperandRole::kIn)};
inline constexpr std::array kStoreOperands{view("dst", OperandRole::kOut), in("src", kStored),
                                           kScaleTile, kScaleScalar};
inline constexpr std::array kMoveOperands{out("dst", kAnySpace), in("src", kStored), kScaleTile,
                                          kScaleScalar, tmp("tmp")};
inline constexpr std::array kWindowOperands{
    out("dst", kAnySpace), in("src", kStored), scalar("indexRow"),
    scalar("indexCol"),    kScaleTile,         kScaleScalar};
inline constexpr std::array kQuantScalar{scalar("preQuantScalar")};
inline constexpr std::array kQuantVector{in("fp", in_space(Space::kFixpipe))};
inline constexpr std::array kImageColumns{out("dst", in_space(Space::kL0A)),
                                          in("src", in_space(Space::kL1)), scalar("posM"),
                                          scalar("posK")};
inline constexpr std::array kPrefetchAsync{view("src", OperandRole::kIn)};
inline constexpr std::array kPrint{
    OperandInfo{"src", OperandRole::kIn, kTileOperand | kGlobalOperand, false, kAnySpace},
    optional(view("tmp", OperandRole::kTmp))};
inline constexpr std::array kFillPadOperands{out("dst", kInUBOrL1), in("src", kInUBOrL1)};

inline constexpr OperandInfo kProduct = out("c", in_space(Space::kL0C));
inline constexpr OperandInfo kAccumulator = untyped(in("c_in", in_space(Space::kL0C)));
inline constexpr OperandInfo kLeft = in("a", in_space(Space::kL0A));
inline constexpr OperandInfo kRight = in("b", in_space(Space::kL0B));
inline constexpr OperandInfo kBias = in("bias", in_space(Space::kBias));
inline constexpr std::array kMatmul{kProduct, kLeft, kRight};
inline constexpr std::array kMatmulAcc{kProduct, kAccumulator, kLeft, kRight};
inline constexpr OperandInfo kLeftScale = in("a_scale", in_space(Space::kScaleA));
inline constexpr OperandInfo kRightScale = in("b_scale", in_space(Space::kScaleB));
inline constexpr std::array kMatmulMx{kProduct, kLeft, kLeftScale, kRight, kRightScale};
inline constexpr std::array kMatmulMxAcc{kProduct,   kAccumulator, kLeft,
                                         kLeftScale, kRight,       kRightScale};
inline constexpr std::array kMatmulMxBias{kProduct, kLeft, kLeftScale, kRight, kRightScale, kBias};
inline constexpr std::array kMatmulBias{kProduct, kLeft, kRight, kBias};

// ---- flags that implementations set and wait for by themselves ------------------------------
inline constexpr InternalFlag kVectorToScalar{Pipe::kV, Pipe::kS, 0};
inline constexpr InternalFlag kScalarToVector{Pipe::kS, Pipe::kV, 0};
inline constexpr std::array kToScalar{kVectorToScalar};
inline constexpr std::array kToVector{kScalarToVector};
inline constexpr std::array kToScalarAndBack{kVectorToScalar, kScalarToVector};

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
#define RULES(...) \
    { __VA_ARGS__ }
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
                                         {RULES},                                             \
                                         MEANING(NAME),                                       \
                                         summary_of(__VA_ARGS__),                             \
                                         &kTraitsOf##NAME};
