#include "sim/native/abi_records.h"

#include <algorithm>
#include <unordered_map>

#include "isa/intrinsics/vector_program.h"
#include "isa/table/instruction_table.h"
#include "isa/table/layout_override.h"
#include "sim/native/image_data.h"
#include "sim/native/kernel_attributes.h"

namespace ptosim {
namespace {

// The ABI's numbers must equal the enumerators' values.
template <class T>
constexpr bool same(int number, T value) {
    return number == static_cast<int>(value);
}
static_assert(same(PTOSIM_F32, DType::kF32) && same(PTOSIM_F16, DType::kF16) &&
              same(PTOSIM_BF16, DType::kBF16) && same(PTOSIM_TF32, DType::kTF32) &&
              same(PTOSIM_HF32, DType::kHF32) && same(PTOSIM_E4M3, DType::kE4M3) &&
              same(PTOSIM_E5M2, DType::kE5M2) && same(PTOSIM_E8M0, DType::kE8M0) &&
              same(PTOSIM_HIF8, DType::kHIF8) && same(PTOSIM_E2M1, DType::kE2M1) &&
              same(PTOSIM_E1M2, DType::kE1M2) && same(PTOSIM_I4, DType::kI4) &&
              same(PTOSIM_I8, DType::kI8) && same(PTOSIM_U8, DType::kU8) &&
              same(PTOSIM_I16, DType::kI16) && same(PTOSIM_U16, DType::kU16) &&
              same(PTOSIM_I32, DType::kI32) && same(PTOSIM_U32, DType::kU32) &&
              same(PTOSIM_I64, DType::kI64) && same(PTOSIM_U64, DType::kU64));
static_assert(same(PTOSIM_UB, Space::kUB) && same(PTOSIM_L1, Space::kL1) &&
              same(PTOSIM_L0A, Space::kL0A) && same(PTOSIM_L0B, Space::kL0B) &&
              same(PTOSIM_L0C, Space::kL0C) && same(PTOSIM_BIAS, Space::kBias) &&
              same(PTOSIM_FIXPIPE, Space::kFixpipe) && same(PTOSIM_SCALE_A, Space::kScaleA) &&
              same(PTOSIM_SCALE_B, Space::kScaleB));
static_assert(same(PTOSIM_PIPE_S, Pipe::kS) && same(PTOSIM_PIPE_MTE2, Pipe::kMTE2) &&
              same(PTOSIM_PIPE_MTE1, Pipe::kMTE1) && same(PTOSIM_PIPE_M, Pipe::kM) &&
              same(PTOSIM_PIPE_V, Pipe::kV) && same(PTOSIM_PIPE_FIX, Pipe::kFIX) &&
              same(PTOSIM_PIPE_MTE3, Pipe::kMTE3) && same(PTOSIM_PIPE_ALL, Pipe::kAll));
static_assert(same(PTOSIM_AIC, CoreType::kAIC) && same(PTOSIM_AIV, CoreType::kAIV));
static_assert(same(PTOSIM_A2A3, Arch::kA2A3) && same(PTOSIM_A5, Arch::kA5) &&
              same(PTOSIM_KIRIN, Arch::kKirin));
static_assert(same(PTOSIM_OUTER_COL, OuterLayout::kColMajor) &&
              same(PTOSIM_INNER_ROW, InnerLayout::kRowMajor) &&
              same(PTOSIM_INNER_COL, InnerLayout::kColMajor));
static_assert(same(PTOSIM_PAD_ZERO, Pad::kZero) && same(PTOSIM_PAD_MAX, Pad::kMax) &&
              same(PTOSIM_PAD_MIN, Pad::kMin) && same(PTOSIM_PAD_CUSTOM, Pad::kCustom));
static_assert(same(PTOSIM_COMPACT_NORMAL, Compact::kNormal) &&
              same(PTOSIM_COMPACT_ROW_PLUS_ONE, Compact::kRowPlusOne) &&
              same(PTOSIM_COMPACT_ROW_ALIGNED, Compact::kRowAlignedPadding));
static_assert(PTOSIM_PAST_L2 == GlobalView::kPastL2);
static_assert(same(PTOSIM_DN, GlobalLayout::kDN) && same(PTOSIM_NZ, GlobalLayout::kNZ));

const std::unordered_map<uint32_t, Opcode>& opcodes() {
    static const auto& table = *new std::unordered_map<uint32_t, Opcode>([] {
        std::unordered_map<uint32_t, Opcode> result;
        for (const InstructionInfo& row : instruction_table())
            result.emplace(ptosim_opcode(std::string(row.name).c_str()), row.opcode);
        return result;
    }());
    return table;
}

template <class E>
E enumerator(const Running& core, unsigned number, E count, const char* what,
             ptosim_location where) {
    if (number >= static_cast<unsigned>(count))
        fail(core, "H13", Category::kUnsupported,
             std::string(what) + " " + std::to_string(number) + " is not one of this simulator",
             where, "build the kernel with the headers of this simulator");
    return static_cast<E>(number);
}

}  // namespace

DType dtype_of(const Running& core, unsigned number, ptosim_location where) {
    return enumerator(core, number, DType::kCount, "element type", where);
}

Tile tile_of(const Running& core, const ptosim_tile& tile, ptosim_location where) {
    Tile result;
    result.space = enumerator(core, tile.space, Space::kCount, "memory", where);
    result.dtype = dtype_of(core, tile.dtype, where);
    result.outer = enumerator(core, tile.outer, static_cast<OuterLayout>(2), "layout", where);
    result.inner = enumerator(core, tile.inner, static_cast<InnerLayout>(3), "layout", where);
    result.fractal = tile.fractal;
    result.pad =
        enumerator(core, tile.pad, static_cast<Pad>(PTOSIM_PAD_CUSTOM + 1), "pad value", where);
    result.pad_bits = tile.pad_bits;
    result.compact = enumerator(core, tile.compact, static_cast<Compact>(4), "compact mode", where);
    result.address = tile.address;
    result.rows = tile.rows;
    result.cols = tile.cols;
    result.valid_rows = tile.valid_rows;
    result.valid_cols = tile.valid_cols;
    result.pitch = tile.pitch;
    if (result.pitch == 0) set_dense_pitch(result);
    return result;
}

GlobalView view_of(const Running& core, const ptosim_global& global, ptosim_location where) {
    GlobalView result;
    result.address = global.address;
    std::copy_n(global.stride, GlobalView::kRank, result.stride.begin());
    std::copy_n(global.shape, GlobalView::kRank, result.shape.begin());
    result.dtype = dtype_of(core, global.dtype, where);
    result.layout = enumerator(core, global.layout, GlobalLayout::kCount, "layout", where);
    result.take_hint();
    return result;
}

namespace {

Operand operand_of(const Running& core, const ptosim_operand& operand, ptosim_location where) {
    switch (operand.kind) {
        case PTOSIM_NO_OPERAND:
            return {};
        case PTOSIM_TILE_OPERAND:
            return tile_of(core, operand.tile, where);
        case PTOSIM_GLOBAL_OPERAND:
            return view_of(core, operand.global, where);
        case PTOSIM_SCALAR_OPERAND:
            return Scalar{operand.scalar.bits, dtype_of(core, operand.scalar.dtype, where)};
        default:
            fail(core, "H13", Category::kUnsupported, "a kind of operand that is not known", where);
    }
}

// Scratch that an instruction does not need requires no address.
void need_address(const Running& core, Instruction& instruction, unsigned i,
                  ptosim_location where) {
    if (instruction.operands[i].tile.address != PTOSIM_NO_ADDRESS) return;
    const InstructionInfo& row = info(instruction.opcode);
    const bool has_row = i < row.operands.size();
    if (has_row && row.operands[i].role == OperandRole::kTmp) {
        instruction.operands[i].tile.address = 0;
        return;
    }
    fail(core, "A05", Category::kIllegal,
         std::string(row.name) + " has a tile without an address" +
             (has_row ? ": operand '" + std::string(row.operands[i].name) + "'" : ""),
         where, "give it one with TASSIGN first");
}

}  // namespace

Instruction instruction_of(const Running& core, const ptosim_instruction& from) {
    const auto found = opcodes().find(from.opcode);
    if (found == opcodes().end())
        fail(core, "H13", Category::kUnsupported,
             std::string("instruction ") + (from.name != nullptr ? from.name : "?") +
                 " is not one of this simulator",
             from.where, "'ptosim isa' lists those that it has");
    if (from.operand_count > Instruction::kMaxOperands)
        fail(core, "H13", Category::kUnsupported,
             std::string(from.name) + " with " + std::to_string(from.operand_count) + " operands",
             from.where);
    Instruction result(found->second, locate(core, from.where));
    const InstructionInfo& row = info(result.opcode);
    for (unsigned i = 0; i < from.operand_count; ++i) {
        result.add(operand_of(core, from.operands[i], from.where));
        if (from.operands[i].kind == PTOSIM_TILE_OPERAND) need_address(core, result, i, from.where);
        Operand& made = result.operands[i];
        if (made.is_global() && i < row.operands.size() && row.operands[i].role == OperandRole::kIn)
            made.global.address = global_address(core, made.global.address);
    }
    for (unsigned i = 0; i < from.attribute_count; ++i)
        if (!set_attribute(result.attributes, from.attributes[i], core.port.arch()))
            fail(core, "H13", Category::kUnsupported,
                 "attribute " + std::to_string(from.attributes[i].key) + " with the value " +
                     std::to_string(from.attributes[i].value) + " is not known to this simulator",
                 from.where, "build the kernel with the headers of this simulator");
    if (may_override_layout(result.opcode)) override_layout(result, core.port.arch());
    return result;
}

namespace {

VectorOperation operation_of(const Running& core, const ptosim_vector_operation& from,
                             ptosim_location where) {
    // By the hash of the name, as for instructions.
    static const auto& by_hash = *new std::unordered_map<uint32_t, VectorOpcode>([] {
        std::unordered_map<uint32_t, VectorOpcode> table;
        for (unsigned i = 0; i < kVectorOpcodeCount; ++i) {
            const auto opcode = static_cast<VectorOpcode>(i);
            table.emplace(ptosim_opcode(std::string(info(opcode).name).c_str()), opcode);
        }
        return table;
    }());
    const auto found = by_hash.find(from.opcode);
    if (found == by_hash.end())
        fail(core, "H13", Category::kUnsupported,
             "a vector operation unknown to this ptosim: the kernel was built with headers of another version",
             where);
    VectorOperation op;
    op.opcode = found->second;
    op.type = dtype_of(core, from.dtype, where);
    op.to = dtype_of(core, from.to, where);
    op.mode = static_cast<VectorMode>(from.mode);
    op.round = enumerator(core, from.round, static_cast<RoundMode>(8), "rounding mode", where);
    op.saturation = from.saturation == 0 ? Saturation::kOn : Saturation::kOff;
    op.merges = from.merges != 0;
    std::copy_n(from.results, 2, op.results.begin());
    std::copy_n(from.sources, 4, op.sources.begin());
    op.mask = from.mask;
    op.address = from.address;
    op.line = from.line;
    op.block_stride = from.block_stride;
    op.repeat_stride = from.repeat_stride;
    op.scalar = from.scalar;
    return op;
}

}  // namespace

Instruction vector_function_of(const Running& core, std::span<const ptosim_vector_operation> from,
                               ptosim_location where) {
    std::vector<VectorOperation> operations;
    operations.reserve(from.size());
    for (const ptosim_vector_operation& op : from)
        operations.push_back(operation_of(core, op, where));
    try {
        return vector_function(vector_program(std::move(operations)), locate(core, where));
    } catch (const VectorProgram::Fault& fault) {
        if (from[fault.operation].line != 0) where.line = from[fault.operation].line;
        Diagnostic d = finding(core, fault.code, Category::kIllegal, fault.message, where);
        d.hint = fault.hint;
        throw DiagnosticError(std::move(d));
    }
}

}  // namespace ptosim
