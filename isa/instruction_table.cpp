#include "isa/instruction_table.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <optional>
#include <unordered_map>
#include <utility>

#include "isa/arch.h"
#include "isa/legality.h"

namespace ptosim {

namespace semantics {
#define COMPUTES(NAME) void NAME(const Execution&);
#define CONTROL(NAME)
#define PTO_INSTRUCTION(NAME, ASM, ALIASES, OPERANDS, ATTRIBUTES, PIPE, TIMING, TYPES, RULES, \
                        MEANING, SUMMARY)                                                     \
    MEANING(NAME)
#include "isa/instructions.def"
#undef PTO_INSTRUCTION
#undef COMPUTES
#undef CONTROL
}  // namespace semantics

namespace {

using enum DType;

// Type sets by the names of the reference tables.
constexpr DTypeSet kNone{};
constexpr DTypeSet kFP2{kF16, kF32};
constexpr DTypeSet kS4{kI16, kI32, kF16, kF32};
constexpr DTypeSet kInt4{kI16, kU16, kI32, kU32};
constexpr DTypeSet kInt6{kI8, kU8, kI16, kU16, kI32, kU32};
constexpr DTypeSet kInt32{kI32};
constexpr DTypeSet kInt64{kI64, kU64};
constexpr DTypeSet kInt8 = kInt6 | kInt64;
constexpr DTypeSet kB8{kI8, kU8};
constexpr DTypeSet kU16U32{kU16, kU32};
constexpr DTypeSet kI16I32{kI16, kI32};
constexpr DTypeSet kSigned32{kI8, kI16, kI32};
constexpr DTypeSet kBFloat{kBF16};
constexpr DTypeSet kF16BF16{kF16, kBF16};
constexpr DTypeSet kAll9 = kInt6 | DTypeSet{kF16, kBF16, kF32};
constexpr DTypeSet kAll11 = kAll9 | kInt64;
constexpr DTypeSet kB16B32 = kAll9 - kB8;
constexpr DTypeSet kLowPrecision{kE4M3, kE5M2, kE8M0, kHIF8, kE2M1, kE1M2};
constexpr DTypeSet kFloat8{kE4M3, kE5M2, kHIF8};
constexpr DTypeSet kCubeA2A3{kI8, kF16, kBF16, kF32};
constexpr DTypeSet kCubeA5 = kCubeA2A3 | DTypeSet{kE4M3, kE5M2, kHIF8};
constexpr DTypeSet kMx{kE4M3, kE5M2, kE2M1, kE1M2};
constexpr DTypeSet kI32Only{kI32};
constexpr DTypeSet kF32Only{kF32};
constexpr DTypeSet kIndex32{kI32, kU32};
constexpr DTypeSet kCmpScalar{kI32, kU16, kI16, kF16, kF32};
constexpr DTypeSet kF32F16I16{kF32, kF16, kI16};
constexpr DTypeSet kI8I16{kI8, kI16};
constexpr DTypeSet kCvtA2A3{kF32, kF16, kBF16, kI16, kI32, kI64, kU8, kI8, kI4};
constexpr DTypeSet kCvtA5{kF32, kF16, kBF16, kI16,  kI32,  kI64,  kU8,
                          kI8,  kU32, kE4M3, kE5M2, kHIF8, kE1M2, kE2M1};

// Operand lists. Operands of vector instructions are in UB.
constexpr uint16_t kInUB = in_space(Space::kUB);
constexpr uint16_t kInUBOrL1 = kInUB | in_space(Space::kL1);

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
constexpr std::array kUnary{out("dst"), in("src")};
constexpr std::array kUnaryTmp{out("dst"), in("src"), tmp("tmp")};
constexpr std::array kBinary{out("dst"), in("src0"), in("src1")};
constexpr std::array kBinaryTmp{out("dst"), in("src0"), in("src1"), tmp("tmp")};
constexpr std::array kBinaryScalar{out("dst"), in("src"), scalar("scalar")};
constexpr std::array kBinaryScalarTmp{out("dst"), in("src"), scalar("scalar"), tmp("tmp")};
constexpr std::array kCompareScalar{out("dst"), in("src"), untyped(tile_or_scalar("scalar"))};
constexpr std::array kEitherScalar{out("dst"), tile_or_scalar("src0"), tile_or_scalar("src1")};
constexpr std::array kFillScalar{out("dst", kInUBOrL1), scalar("scalar")};
constexpr std::array kRange{out("dst"), scalar("start"), tmp("tmp")};
constexpr OperandInfo in_out(std::string_view name) {
    return {name, OperandRole::kInOut, kTileOperand, false, kInUB};
}
constexpr std::array kTernary{out("dst"), in("src0"), in("src1"), in("src2")};
constexpr std::array kScalarBetween{out("dst"), in("src0"), scalar("scalar"), in("src1")};
constexpr std::array kAccumulateScalar{in_out("dst"), in("src"), scalar("scalar")};
constexpr std::array kAccumulateBinary{in_out("dst"), in("src0"), in("src1")};
constexpr std::array kScaledSum{out("dst"), in("src0"), in("src1"), scalar("deqScale"), tmp("tmp")};
constexpr std::array kSelect{out("dst"), untyped(in("mask")), in("src0"), in("src1"), tmp("tmp")};
constexpr std::array kSelectScalar{out("dst"), untyped(in("mask")), in("src"), tmp("tmp"),
                                   scalar("scalar")};
constexpr std::array kInterleave{out("dst1"), out("dst0"), in("src1"), in("src0")};
constexpr std::array kDeinterleave{out("dst1"), out("dst0"), in("src1"), optional(in("src0"))};
constexpr std::array kTriangle{out("dst"), scalar("diagonal")};
constexpr std::array kRandom{out("dst"),         scalar("key0"),     scalar("key1"),
                             scalar("counter0"), scalar("counter1"), scalar("counter2"),
                             scalar("counter3")};
constexpr std::array kPartArg{out("dst"),    in("src0"),    in("src1"),
                              out("dstIdx"), in("src0Idx"), in("src1Idx")};
constexpr std::array kSort{out("dst"), in("src"), in("idx"), tmp("tmp")};
constexpr std::array kMerge{out("dst"),
                            tmp("tmp"),
                            in("src0"),
                            optional(in("src1")),
                            optional(in("src2")),
                            optional(in("src3")),
                            optional(scalar("blockLen")),
                            optional(out("executed"))};
constexpr std::array kGather{out("dst"),
                             in("src"),
                             optional(in("indices")),
                             optional(untyped(tile_or_scalar("kValue"))),
                             tmp("tmp"),
                             optional(out("cdst"))};
constexpr std::array kConcatIndexed{out("dst"),    in("src0"),    in("src1"),
                                    in("src0Idx"), in("src1Idx"), optional(out("dstIdx"))};
constexpr std::array kQuantiseMx{out("dst"), in("src"),      out("exp"),
                                 out("max"), out("scaling"), optional(out("exp_zz"))};
constexpr std::array kReduceArgument{out("dst"), in("src"), tmp("tmp"), optional(out("dstVal"))};
constexpr std::array kGatherBlocks{out("dst"), in("src"), in("offsets")};
constexpr std::array kScatter{out("dst"), in("src"), optional(in("indexes"))};
constexpr std::array kMemoryGather{out("dst", kInUBOrL1), view("mem", OperandRole::kIn),
                                   untyped(tile_or_view("idx")),
                                   optional(view("scratch", OperandRole::kTmp))};
constexpr std::array kMemoryScatter{view("mem", OperandRole::kOut), in("src"), untyped(in("idx"))};
constexpr std::array kHistogram{out("dst"), in("src"), in("idx")};
constexpr std::array kQuantise{out("dst"), in("src"), in("fp"), optional(in("offset")), tmp("tmp")};
constexpr std::array kDequantise{out("dst"), in("src"), in("scale"), in("offset")};
constexpr std::array kReduce{out("dst"), in("src"), tmp("tmp")};

constexpr OperandInfo kScaleTile =
    optional({"fp", OperandRole::kIn, kTileOperand, true, in_space(Space::kFixpipe)});
constexpr OperandInfo kScaleScalar = optional(scalar("preQuantScalar"));
constexpr uint16_t kStored = kInUBOrL1 | in_space(Space::kL0C);
constexpr std::array kLoadOperands{out("dst", kInUBOrL1), view("src", OperandRole::kIn)};
constexpr std::array kStoreOperands{view("dst", OperandRole::kOut), in("src", kStored), kScaleTile,
                                    kScaleScalar};
constexpr std::array kMoveOperands{out("dst", kAnySpace), in("src", kStored), kScaleTile,
                                   kScaleScalar, tmp("tmp")};
constexpr std::array kWindowOperands{out("dst", kAnySpace), in("src", kStored), scalar("indexRow"),
                                     scalar("indexCol"),    kScaleTile,         kScaleScalar};
constexpr std::array kQuantScalar{scalar("preQuantScalar")};
constexpr std::array kQuantVector{in("fp", in_space(Space::kFixpipe))};
constexpr std::array kImageColumns{out("dst", in_space(Space::kL0A)),
                                   in("src", in_space(Space::kL1)), scalar("posM"), scalar("posK")};
constexpr std::array kPrefetchAsync{view("src", OperandRole::kIn)};
constexpr std::array kPrint{
    OperandInfo{"src", OperandRole::kIn, kTileOperand | kGlobalOperand, false, kAnySpace},
    optional(view("tmp", OperandRole::kTmp))};
constexpr std::array kFillPadOperands{out("dst", kInUBOrL1), in("src", kInUBOrL1)};

constexpr OperandInfo kProduct = out("c", in_space(Space::kL0C));
constexpr OperandInfo kAccumulator = untyped(in("c_in", in_space(Space::kL0C)));
constexpr OperandInfo kLeft = in("a", in_space(Space::kL0A));
constexpr OperandInfo kRight = in("b", in_space(Space::kL0B));
constexpr OperandInfo kBias = in("bias", in_space(Space::kBias));
constexpr std::array kMatmul{kProduct, kLeft, kRight};
constexpr std::array kMatmulAcc{kProduct, kAccumulator, kLeft, kRight};
constexpr OperandInfo kLeftScale = in("a_scale", in_space(Space::kScaleA));
constexpr OperandInfo kRightScale = in("b_scale", in_space(Space::kScaleB));
constexpr std::array kMatmulMx{kProduct, kLeft, kLeftScale, kRight, kRightScale};
constexpr std::array kMatmulMxAcc{kProduct, kAccumulator, kLeft, kLeftScale, kRight, kRightScale};
constexpr std::array kMatmulMxBias{kProduct, kLeft, kLeftScale, kRight, kRightScale, kBias};
constexpr std::array kMatmulBias{kProduct, kLeft, kRight, kBias};

#define TYPES(A2A3, A5) \
    { A2A3, A5, A5 }
#define RULES(...) \
    { __VA_ARGS__ }
#define COMPUTES(NAME) &semantics::NAME
#define CONTROL(NAME) nullptr
#define PTO_INSTRUCTION(NAME, ASM, ALIASES, OPERANDS, ATTRIBUTES, PIPE, TIMING, TYPES, RULES, \
                        MEANING, SUMMARY)                                                     \
    InstructionInfo{Opcode::k##NAME,                                                          \
                    #NAME,                                                                    \
                    ASM,                                                                      \
                    ALIASES,                                                                  \
                    OPERANDS,                                                                 \
                    ATTRIBUTES,                                                               \
                    PipeRule::PIPE,                                                           \
                    TimingClass::TIMING,                                                      \
                    {TYPES},                                                                  \
                    {RULES},                                                                  \
                    MEANING(NAME),                                                            \
                    SUMMARY},

using namespace rules;
const std::array<InstructionInfo, kOpcodeCount> kTable{{
#include "isa/instructions.def"
}};

#undef PTO_INSTRUCTION
#undef COMPUTES
#undef CONTROL
#undef TYPES
#undef RULES

std::unordered_map<std::string, const InstructionInfo*> make_index() {
    std::unordered_map<std::string, const InstructionInfo*> index;
    for (const InstructionInfo& row : kTable) {
        index.emplace(row.name, &row);
        if (!row.assembly.empty()) index.emplace(row.assembly, &row);
        std::string_view rest = row.aliases;
        while (!rest.empty()) {
            const size_t end = std::min(rest.find(' '), rest.size());
            if (end > 0) index.emplace(rest.substr(0, end), &row);
            rest.remove_prefix(std::min(end + 1, rest.size()));
        }
    }
    return index;
}

Pipe move_pipe(Space from, Space to) {
    switch (from) {
        case Space::kUB:
            return to == Space::kUB ? Pipe::kV : Pipe::kMTE3;
        case Space::kL1:
            return to == Space::kFixpipe ? Pipe::kFIX : Pipe::kMTE1;
        default:
            return Pipe::kFIX;
    }
}

}  // namespace

std::string to_text(DTypeSet set) {
    std::string text;
    for (unsigned i = 0; i < static_cast<unsigned>(DType::kCount); ++i) {
        const auto type = static_cast<DType>(i);
        if (!set.contains(type)) continue;
        if (!text.empty()) text += ", ";
        text += name(type);
    }
    return text;
}

constinit const InstructionInfo* const kInstructionRows = kTable.data();

std::span<const InstructionInfo> instruction_table() { return kTable; }

const InstructionInfo* find_instruction(std::string_view word) {
    static const auto& index = *new auto(make_index());
    const auto found = index.find(std::string(word));
    return found == index.end() ? nullptr : found->second;
}

Pipe pipe_of(const Instruction& instruction, Arch arch) {
    const auto& operands = instruction.operands;
    switch (info(instruction.opcode).pipe) {
        case PipeRule::kScalar:
            // With a scratch tile it is done by vector instructions (hw-native-sys/pto-isa
            // include/pto/npu/a2a3/TCI.hpp, a5/Tci.hpp).
            return instruction.opcode == Opcode::kTCI && instruction.operand_count > 2 &&
                           operands[2].is_tile()
                       ? Pipe::kV
                       : Pipe::kS;
        case PipeRule::kVector:
            return Pipe::kV;
        case PipeRule::kCube:
            return Pipe::kM;
        case PipeRule::kLoad:
            return Pipe::kMTE2;
        case PipeRule::kStore:
            return operands[1].tile.space == Space::kL0C ? Pipe::kFIX : Pipe::kMTE3;
        case PipeRule::kMove:
            return move_pipe(operands[1].tile.space, operands[0].tile.space);
        case PipeRule::kFill:
            return operands[0].tile.space == Space::kUB ? Pipe::kV : Pipe::kMTE2;
        case PipeRule::kGather:
            return traits_of(arch).gather_threads && operands[0].tile.space == Space::kUB
                       ? Pipe::kV
                       : Pipe::kMTE2;
        case PipeRule::kScatter:
            return traits_of(arch).gather_threads ? Pipe::kV : Pipe::kMTE3;
        case PipeRule::kFlag:
            return instruction.opcode == Opcode::kSET_FLAG ||
                           instruction.opcode == Opcode::kCROSS_SET ||
                           instruction.opcode == Opcode::kINTRA_SET
                       ? instruction.attributes.source_pipe
                       : instruction.attributes.destination_pipe;
    }
    return Pipe::kS;
}

std::optional<CoreType> core_of(const Instruction& instruction) {
    const Pipe pipe = pipe_of(instruction, Arch::kA2A3);  // the core is the same everywhere
    if (pipe == Pipe::kV) return CoreType::kAIV;
    if (pipe == Pipe::kM || pipe == Pipe::kMTE1 || pipe == Pipe::kFIX) return CoreType::kAIC;
    // What goes to L1 of the cube core leaves from UB of a vector core.
    if (info(instruction.opcode).pipe == PipeRule::kMove && pipe == Pipe::kMTE3)
        return CoreType::kAIV;
    for (unsigned i = 0; i < instruction.operand_count; ++i)
        if (instruction.operands[i].is_tile())
            return instruction.operands[i].tile.space == Space::kUB ? CoreType::kAIV
                                                                    : CoreType::kAIC;
    return std::nullopt;
}

bool check_legality(const Instruction& instruction, Arch arch, Problem& problem) {
    const InstructionInfo& row = info(instruction.opcode);
    if (!rules::check_operands(instruction, row, arch, problem)) return false;
    std::optional<Problem> passed_over;
    for (LegalityRule rule : row.rules) {
        if (rule == nullptr || rule(instruction, row, arch, problem)) continue;
        if (!problem.goes_on) return false;
        if (!passed_over) passed_over = std::exchange(problem, {});
    }
    if (!passed_over) return true;
    problem = std::move(*passed_over);
    return false;
}

}  // namespace ptosim
