// Legality rules of gathers and scatters, and the assembler's requirements on them.
#include "isa/instructions/gather_rules.h"

#include <algorithm>

#include "isa/core/arch.h"
#include "isa/instructions/assembler_rules.h"
#include "isa/legality/legality.h"

namespace ptosim::rules {

using enum DType;

namespace {

// One value for all rows, or integers of the width of the elements, one for each.
bool gather_threshold(const Instruction& instruction, const InstructionInfo& row,
                      Problem& problem) {
    const Tile& src = instruction.tile(1);
    const Operand& value = instruction.operands[3];
    if (value.is_scalar()) return check_scalar(instruction, row, 3, src.dtype, problem);
    const DTypeSet allowed = bits(src.dtype) == 32   ? kIndex32
                             : bits(src.dtype) == 16 ? DTypeSet{kI16, kU16}
                                                     : DTypeSet{kU16, kU32};
    if (!allowed.contains(value.tile.dtype))
        return wrong_type(problem, row, "T08", 3, value.tile.dtype, allowed);
    if (value.tile.byte_size() * 8 >=
        static_cast<uint64_t>(src.valid_rows) * bits(value.tile.dtype))
        return true;
    return wrong_valid(problem, row, "S04", 3, value.tile,
                       std::to_string(src.valid_rows) + " values");
}

// TGATHER (dst, src, -, kValue, [tmp], cdst), hw-native-sys/pto-isa docs/isa/TGATHER.md.
bool gather_compared(const Instruction& instruction, const InstructionInfo& row, Arch arch,
                     Problem& problem) {
    const Tile& src = instruction.tile(1);
    const CompareMode mode = instruction.attributes.compare;
    const DTypeSet sources = traits_of(arch).gathers_compared_integers
                                 ? DTypeSet{kI8, kU8, kI16, kU16, kI32, kU32, kF16, kF32}
                                 : DTypeSet{kF32, kF16, kI32};
    if (!sources.contains(src.dtype)) return wrong_type(problem, row, "T03", 1, src.dtype, sources);
    if (given(instruction, 2) || instruction.attributes.mask_pattern != 0)
        return fail(problem, "T00", 3,
                    "a gather by comparison takes neither indices nor a mask pattern");
    if (!given(instruction, 5))
        return fail(problem, "T00", 5,
                    "a gather by comparison needs operand 'cdst' for the counts");
    if (!gather_threshold(instruction, row, problem)) return false;
    if (mode != CompareMode::kEq &&
        (mode != CompareMode::kGt || (!traits_of(arch).orders_i32 && src.dtype == kI32)))
        return fail(problem, "P02", 3,
                    "TGATHER compares with eq or gt only; i32 on a2a3 with eq only");
    for (unsigned i : {0u, 5u})
        if (!kIndex32.contains(instruction.tile(i).dtype))
            return wrong_type(problem, row, "T08", i, instruction.tile(i).dtype, kIndex32);
    if (instruction.tile(0).rows < src.valid_rows)
        return wrong_valid(problem, row, "S04", 0, instruction.tile(0),
                           std::to_string(src.valid_rows) + " rows");
    const Tile& counts = instruction.tile(5);
    if (counts.byte_size() >= static_cast<uint64_t>(src.valid_rows) * 4) return true;
    return wrong_valid(problem, row, "S04", 5, counts,
                       std::to_string(src.valid_rows) + " elements");
}

bool check_gather_indices(const Instruction& instruction, const InstructionInfo& row, Arch arch,
                          Problem& problem) {
    if (row.opcode == Opcode::kTGATHER && given(instruction, 3))
        return gather_compared(instruction, row, arch, problem);
    const Tile& dst = instruction.tile(0);
    const Tile& src = instruction.tile(1);
    if (row.opcode == Opcode::kTGATHER && given(instruction, 5))
        return fail(problem, "T00", 5,
                    "only a gather by comparison has counts, and operand 'kValue' is missing");
    if (bits(dst.dtype) != bits(src.dtype))
        return wrong_type(problem, row, "T01", 0, dst.dtype, {src.dtype});
    if (!given(instruction, 2)) {
        const uint8_t pattern = instruction.attributes.mask_pattern;
        if (instruction.attributes.along_rows && pattern != 0) {
            const int step = pattern <= 2 ? 2 : pattern <= 6 ? 4 : 1;
            const bool scatter = row.opcode == Opcode::kTSCATTER;
            const Tile& wide = scatter ? dst : src;
            const Tile& narrow = scatter ? src : dst;
            const int rows = scatter ? wide.valid_rows : wide.rows;
            if ((!scatter || wide.valid_cols >= narrow.valid_cols) &&
                rows >= narrow.valid_rows * step && (!scatter || rows == narrow.valid_rows * step))
                return true;
            return fail(problem, "S04", 1,
                        "a mask pattern that chooses rows needs " + std::to_string(step) +
                            " rows of " + valid_text(wide) + " for each of " + valid_text(narrow));
        }
        if (pattern != 0) return true;
        return fail(problem, "T00", 2,
                    std::string(row.name) + " takes an index tile or a mask pattern");
    }
    const Tile& indices = instruction.tile(2);
    const DTypeSet allowed{kI32, kU32, kI16, kU16};
    if (!allowed.contains(indices.dtype))
        return wrong_type(problem, row, "T08", 2, indices.dtype, allowed);
    const Tile& lanes = row.opcode == Opcode::kTSCATTER ? src : dst;
    // TSCATTER moves elements by their indices; elements without an index are not moved.
    const bool fewer = row.opcode == Opcode::kTSCATTER && indices.valid_rows <= lanes.valid_rows &&
                       indices.valid_cols <= lanes.valid_cols;
    if (same_lanes(indices, lanes) || fewer) return true;
    return wrong_valid(problem, row, "S04", 2, indices, valid_text(lanes));
}

}  // namespace

const LegalityRule gather_indices{
    "gather_indices", "T00 T01 T08 S04 T02 T03 P02",
    "exactly one of indices, a mask pattern, or a comparison; indices are of 16 or 32 bits and cover the lanes",
    &check_gather_indices};

namespace {

// The operand that a gather by comparison compares with and the counts that it writes are contiguous, in a row or in a
// column (hw-native-sys/pto-isa include/pto/npu/a2a3/TGather.hpp, a5/TGather.hpp).
bool check_gather_layouts(const Instruction& instruction, const InstructionInfo& row, Arch,
                          Problem& problem) {
    for (unsigned i = 0; i < instruction.operand_count; ++i) {
        if (!instruction.operands[i].is_tile() || row.operands[i].role == OperandRole::kTmp)
            continue;
        if (!check_row_major(instruction, row, i, i == 3 || i == 5, problem)) return false;
    }
    return true;
}

}  // namespace

const LegalityRule gather_layouts{
    "gather_layouts", "L02",
    "tiles are row-major without inner boxes (ND); kValue and cdst may be columns (DN)",
    &check_gather_layouts};

namespace {

bool check_gather_blocks(const Instruction& instruction, const InstructionInfo& row, Arch,
                         Problem& problem) {
    const Tile& dst = instruction.tile(0);
    const Tile& offsets = instruction.tile(2);
    if (offsets.dtype != kU32) return wrong_type(problem, row, "T08", 2, offsets.dtype, {kU32});
    const int lanes = static_cast<int>(32 * 8 / bits(dst.dtype));
    if (dst.valid_cols % lanes != 0)
        return fail(problem, "G10", 0,
                    operand_text(row, 0) + " has rows of " + std::to_string(dst.valid_cols) +
                        " elements, which are not whole blocks of 32 bytes");
    if (offsets.valid_rows >= dst.valid_rows && offsets.valid_cols >= dst.valid_cols / lanes)
        return true;
    return wrong_valid(problem, row, "S04", 2, offsets,
                       shape_text(dst.valid_rows, dst.valid_cols / lanes));
}

}  // namespace

const LegalityRule gather_blocks{"gather_blocks", "T08 S04 G10",
                                 "offsets are u32, one for each block of 32 bytes of dst; src may have another type "
                                 "because blocks are copied unchanged",
                                 &check_gather_blocks};

}  // namespace ptosim::rules

namespace ptosim::rows {

namespace {

bool is_one_of(DType type, DTypeSet types) { return types.contains(type); }

// Number of lanes that a mask pattern of a2a3 and a5 examines for each chosen one.
int mask_factor(unsigned pattern) {
    constexpr unsigned kP0101 = 1, kP1010 = 2, kP1111 = 7;
    if (pattern == kP1111) return 1;
    return pattern == kP0101 || pattern == kP1010 ? 2 : 4;
}

// A mask pattern chooses along an axis, from `all` the lanes of `chosen`.
void mask_form(const WrittenOperation& op, std::string_view all, std::string_view chosen) {
    if (op.tile(all) == nullptr || op.tile(chosen) == nullptr) return;
    const Tile many = op.type(all).tile, few = op.type(chosen).tile;
    const int factor = mask_factor(op.instruction.attributes.mask_pattern);
    const bool along_rows = op.instruction.attributes.along_rows;
    require_same_valid(op, all, chosen, along_rows ? Extents::kColumns : Extents::kRows);
    const int32_t whole = along_rows ? many.valid_rows : many.valid_cols;
    const int32_t part = along_rows ? few.valid_rows : few.valid_cols;
    const bool good = whole < 0 || part < 0 || whole == int64_t{part} * factor;
    const std::string what = "with this mask takes " + std::to_string(factor) + " valid " +
                             (along_rows ? "rows" : "columns") + " in '" + std::string(all) +
                             "' for each in '" + std::string(chosen) + "', not " +
                             std::to_string(whole) + " for " + std::to_string(part);
    if (op.instruction.opcode == Opcode::kTGATHER && !along_rows && !op.for_a5())
        op.require_lately(good, "S04", what);
    else
        op.require(good, "S04", what);
}

void compared_gather_form(const WrittenOperation& op) {
    const Tile* from = op.tile("src");
    if (from == nullptr) return;
    const bool eq = op.instruction.attributes.compare == CompareMode::kEq;
    op.require(is_one_of(from->dtype, {DType::kF16, DType::kF32}) ||
                   (op.for_a5() ? is_one_of(from->dtype,
                                            {DType::kI16, DType::kU16, DType::kI32, DType::kU32})
                                : from->dtype == DType::kI32 && eq),
               "T03",
               op.for_a5() ? "compares f16, f32, i16 and i32 on a5"
                           : "compares f16 and f32 on a2a3, and i32 with eq");
}

void indexed_gather_form(const WrittenOperation& op) {
    const Tile *from = op.tile("src"), *indices = op.tile("indices"), *tmp = op.tile("tmp");
    require_element_type_of(op, "dst", "src");
    require_all_valid_columns(op, "dst");
    require_all_valid_columns(op, "indices");
    if (op.for_a5()) {
        op.require(from == nullptr || from->dtype != DType::kBF16, "T03",
                   "takes no bf16 with indices on a5");
        return;
    }
    op.require(tmp != nullptr, "S16", "by indices needs a scratch tile on a2a3");
    op.require(is_one_of(indices->dtype, {DType::kI32, DType::kU32}), "T08",
               "takes indices of i32 on a2a3, not " + std::string(name(indices->dtype)));
    op.require(tmp->dtype == indices->dtype, "S16",
               "needs a scratch tile of the type of the indices");
    op.require(
        !op.is_static("indices") || !op.is_static("tmp") ||
            (tmp->valid_rows == indices->valid_rows && tmp->valid_cols == indices->valid_cols),
        "S16", "needs a scratch tile with the valid region of the indices");
}

}  // namespace

void gather_form(const WrittenOperation& op) {
    const Tile* from = op.tile("src");
    op.require(op.for_a5() || from == nullptr || bits(from->dtype) >= 16, "T03",
               "gathers elements of 16 and 32 bits on a2a3");
    const bool mask = op.has_attribute("maskPattern");
    op.require(mask || !op.has_attribute("axis"), "K09", "takes an axis with a maskPattern only");
    if (mask) {
        require_all_valid_columns(op, "dst");
        mask_form(op, "src", "dst");
    } else if (op.given("kValue")) {
        compared_gather_form(op);
    } else if (op.tile("indices") != nullptr) {
        indexed_gather_form(op);
    }
}

void scatter_form(const WrittenOperation& op) {
    const bool mask = op.has_attribute("maskPattern");
    op.require(op.given("indexes") != mask, "T00", "has indices or a maskPattern, one of them");
    op.require(mask || !op.has_attribute("axis"), "K09", "takes an axis with a maskPattern only");
    require_element_type_of(op, "dst", "src");
    if (mask) {
        mask_form(op, "dst", "src");
        return;
    }
    const Tile *from = op.tile("src"), *indexes = op.tile("indexes"), *dst = op.tile("dst");
    if (from == nullptr || indexes == nullptr || dst == nullptr) return;
    const unsigned width = std::max(16U, bits(from->dtype));
    op.require(is_integer(indexes->dtype) && bits(indexes->dtype) == width, "T08",
               "takes indices of i" + std::to_string(width) + " for elements of " +
                   std::string(name(from->dtype)) + ", not " + std::string(name(indexes->dtype)));
    require_same_valid(op, "indexes", "src");
    const Tile source = op.type("src").tile, target = op.type("dst").tile;
    const auto covers = [](int32_t a, int32_t b) { return a < 0 || b < 0 || a >= b; };
    op.require(covers(target.valid_rows, source.valid_rows) &&
                   covers(target.valid_cols, source.valid_cols),
               "S04", "takes a 'dst' whose valid region covers that of 'src'");
}

}  // namespace ptosim::rows
