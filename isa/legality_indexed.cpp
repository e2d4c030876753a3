// Rules of comparisons, selections, indexed and partial operations, sorts and quantisation.
#include <algorithm>

#include "isa/arch.h"
#include "isa/legality.h"
#include "isa/numeric/convert.h"

namespace ptosim::rules {

namespace {

using enum DType;

constexpr DTypeSet kIndex32{kI32, kU32};

// The optional second result of an argument reduction is like the first, in the type of src.
bool best_values(const Instruction& instruction, const InstructionInfo& row, Problem& problem) {
    if (!given(instruction, 3)) return true;
    const Tile& best = instruction.tile(3);
    if (best.dtype != instruction.tile(1).dtype)
        return wrong_type(problem, row, "T01", 3, best.dtype, {instruction.tile(1).dtype});
    if (same_lanes(best, instruction.tile(0))) return true;
    return wrong_valid(problem, row, "S04", 3, best, valid_text(instruction.tile(0)));
}

// Bits of a packed mask row cover `cols` columns.
bool covers_columns(const Tile& mask, int rows, int cols) {
    return mask.valid_rows >= rows && static_cast<int64_t>(mask.cols) * bits(mask.dtype) >= cols;
}

}  // namespace

// hw-native-sys/pto-isa docs/isa/TCMP.md; A2 and A3 ignore the mode for i32.
bool compare_mask(const Instruction& instruction, const InstructionInfo& row, Arch arch,
                  Problem& problem) {
    const Tile& dst = instruction.tile(0);
    const Tile& src = instruction.tile(1);
    const DTypeSet masks{kU8, kI8, kU32};
    if (!masks.contains(dst.dtype)) return wrong_type(problem, row, "T06", 0, dst.dtype, masks);
    if (instruction.operands[2].is_tile()) {
        if (instruction.tile(2).dtype != src.dtype)
            return wrong_type(problem, row, "T01", 2, instruction.tile(2).dtype, {src.dtype});
        const Tile& other = instruction.tile(2);
        if (row.opcode == Opcode::kTCMPS ? other.valid_rows < 1 || other.valid_cols < 1
                                         : !same_lanes(other, src))
            return wrong_valid(problem, row, "S04", 2, other,
                               row.opcode == Opcode::kTCMPS ? "one element" : valid_text(src));
    } else if (is_integer(instruction.operands[2].scalar.dtype) != is_integer(src.dtype)) {
        return wrong_type(problem, row, "T02", 2, instruction.operands[2].scalar.dtype,
                          {src.dtype});
    }
    if (!traits_of(arch).orders_i32 && src.dtype == kI32 &&
        instruction.attributes.compare != CompareMode::kEq)
        return fail(problem, "P02", 1,
                    operand_text(row, 1) + " is i32, which " + std::string(name(arch)) +
                        " only compares for equality",
                    "convert to f32, or compare with eq");
    if (dst.valid_rows != src.valid_rows || !covers_columns(dst, src.valid_rows, src.valid_cols))
        return wrong_valid(problem, row, "S04", 0, dst,
                           std::to_string(src.valid_rows) + " rows of " +
                               std::to_string(src.valid_cols) + " bits");
    return true;
}

bool select_mask(const Instruction& instruction, const InstructionInfo& row, Arch,
                 Problem& problem) {
    const Tile& dst = instruction.tile(0);
    const Tile& mask = instruction.tile(1);
    if (!is_integer(mask.dtype))
        return fail(problem, "T06", 1,
                    operand_text(row, 1) + " is " + std::string(name(mask.dtype)) +
                        "; a mask is made of integers");
    for (unsigned i = 2; i < 4; ++i) {
        if (!given(instruction, i) || !instruction.operands[i].is_tile() ||
            row.operands[i].role == OperandRole::kTmp)
            continue;
        const Tile& source = instruction.tile(i);
        if (source.dtype != dst.dtype)
            return wrong_type(problem, row, "T01", i, source.dtype, {dst.dtype});
        if (!same_lanes(source, dst))
            return wrong_valid(problem, row, "S04", i, source, valid_text(dst));
    }
    if (covers_columns(mask, dst.valid_rows, dst.valid_cols)) return true;
    return wrong_valid(
        problem, row, "S04", 1, mask,
        std::to_string(dst.valid_rows) + " rows of " + std::to_string(dst.valid_cols) + " bits");
}

bool axpy_types(const Instruction& instruction, const InstructionInfo& row, Arch,
                Problem& problem) {
    const DType dst = instruction.tile(0).dtype;
    const DType src = instruction.tile(1).dtype;
    if (dst == src || (dst == kF32 && src == kF16)) return true;
    return wrong_type(problem, row, "T01", 1, src,
                      dst == kF32 ? DTypeSet{kF32, kF16} : DTypeSet{dst});
}

// hw-native-sys/pto-isa include/pto/npu/a2a3/TAddReluConv.hpp.
bool relu_conversion(const Instruction& instruction, const InstructionInfo& row, Arch,
                     Problem& problem) {
    const DType src = instruction.tile(1).dtype;
    if (instruction.tile(2).dtype != src)
        return wrong_type(problem, row, "T01", 2, instruction.tile(2).dtype, {src});
    const DType to = src == kF32 ? kF16 : kI8;
    if (instruction.tile(0).dtype == to) return true;
    return wrong_type(problem, row, "T04", 0, instruction.tile(0).dtype, {to});
}

bool dequantised_sum(const Instruction& instruction, const InstructionInfo& row, Arch,
                     Problem& problem) {
    if (instruction.tile(2).dtype != kI32)
        return wrong_type(problem, row, "T01", 2, instruction.tile(2).dtype, {kI32});
    if (instruction.tile(0).dtype == kF16) return true;
    return wrong_type(problem, row, "T04", 0, instruction.tile(0).dtype, {kF16});
}

bool pair_sum_shapes(const Instruction& instruction, const InstructionInfo& row, Arch,
                     Problem& problem) {
    const Tile& dst = instruction.tile(0);
    const Tile& src = instruction.tile(1);
    if (dst.valid_rows == src.valid_rows && dst.valid_cols >= src.valid_cols / 2) return true;
    return wrong_valid(problem, row, "S06", 0, dst, shape_text(src.valid_rows, src.valid_cols / 2));
}

bool interleaved(const Instruction& instruction, const InstructionInfo& row, Arch arch,
                 Problem& problem) {
    const Tile& dst = instruction.tile(1);
    const bool one_source = !given(instruction, 3);
    for (unsigned i = 0; i < instruction.operand_count; ++i) {
        if (!instruction.operands[i].is_tile()) continue;
        const Tile& tile = instruction.tile(i);
        const int cols = one_source && i == 2 ? 2 * dst.valid_cols : dst.valid_cols;
        if (tile.valid_rows != dst.valid_rows || tile.valid_cols != cols)
            return wrong_valid(problem, row, "S04", i, tile, shape_text(dst.valid_rows, cols));
    }
    const bool anywhere = traits_of(arch).interleaves_odd && row.opcode == Opcode::kTINTERLEAVE;
    if (one_source || anywhere || dst.valid_cols % 2 == 0) return true;
    return wrong_valid(problem, row, "S04", 1, dst, "an even number of columns");
}

namespace {

// Of the positions of an argument reduction: 16-bit sources have 16-bit positions, too.
DTypeSet argument_types(const Tile& source) {
    return bits(source.dtype) == 16 ? DTypeSet{kI32, kU32, kI16, kU16} : kIndex32;
}

}  // namespace

bool row_argument(const Instruction& instruction, const InstructionInfo& row, Arch,
                  Problem& problem) {
    const Tile& dst = instruction.tile(0);
    const Tile& src = instruction.tile(1);
    const DTypeSet allowed = argument_types(src);
    if (!allowed.contains(dst.dtype)) return wrong_type(problem, row, "T08", 0, dst.dtype, allowed);
    return best_values(instruction, row, problem) &&
           row_reduction(instruction, row, Arch::kA2A3, problem);
}

bool column_argument(const Instruction& instruction, const InstructionInfo& row, Arch,
                     Problem& problem) {
    const Tile& dst = instruction.tile(0);
    const DTypeSet allowed = argument_types(instruction.tile(1));
    if (!allowed.contains(dst.dtype)) return wrong_type(problem, row, "T08", 0, dst.dtype, allowed);
    return best_values(instruction, row, problem) &&
           column_reduction(instruction, row, Arch::kA2A3, problem);
}

bool sort_records(const Instruction& instruction, const InstructionInfo& row, Arch,
                  Problem& problem) {
    const Tile& dst = instruction.tile(0);
    const Tile& src = instruction.tile(1);
    const Tile& idx = instruction.tile(2);
    if (dst.dtype != src.dtype) return wrong_type(problem, row, "T09", 0, dst.dtype, {src.dtype});
    if (idx.dtype != kU32) return wrong_type(problem, row, "T08", 2, idx.dtype, {kU32});
    if (!same_lanes(idx, src) && !((idx.valid_rows >= src.valid_rows || idx.valid_rows == 1) &&
                                   idx.valid_cols >= src.valid_cols))
        return wrong_valid(problem, row, "S04", 2, idx, valid_text(src));
    const int per_record = static_cast<int>(64 / bits(src.dtype));
    if (dst.valid_rows >= src.valid_rows && dst.cols >= src.valid_cols * per_record) return true;
    return wrong_valid(problem, row, "S04", 0, dst,
                       shape_text(src.valid_rows, src.valid_cols * per_record));
}

bool merge_lists(const Instruction& instruction, const InstructionInfo& row, Arch,
                 Problem& problem) {
    for (unsigned i : {0u, 2u, 3u, 4u, 5u}) {
        if (!given(instruction, i)) continue;
        const Tile& tile = instruction.tile(i);
        if (tile.rows != 1) return wrong_valid(problem, row, "S13", i, tile, "a single row");
        if (tile.dtype != instruction.tile(0).dtype)
            return wrong_type(problem, row, "T09", i, tile.dtype, {instruction.tile(0).dtype});
    }
    const bool several = given(instruction, 3);
    if (given(instruction, 7)) {
        const Tile& executed = instruction.tile(7);
        if (!several)
            return fail(problem, "T00", 7, "counts are given by merges of several sources");
        if (bits(executed.dtype) != 16 || !is_integer(executed.dtype))
            return wrong_type(problem, row, "T08", 7, executed.dtype, {kI16, kU16});
        if (executed.valid_cols < 4 || executed.valid_rows < 1)
            return wrong_valid(problem, row, "S04", 7, executed, "1x4");
    }
    if (several == given(instruction, 6))
        return fail(problem, "T00", 6,
                    "TMRGSORT takes either several sources or one source and a block length");
    if (several) return true;
    const Scalar& given_length = instruction.operands[6].scalar;
    if (!is_integer(given_length.dtype))
        return wrong_type(problem, row, "T02", 6, given_length.dtype, {kI32, kI64});
    const auto length = static_cast<int64_t>(convert_bits(
        kI64, given_length.dtype, given_length.bits, RoundMode::kTrunc, Saturation::kOff));
    if (length > 0 && length % 64 == 0) return true;
    return fail(problem, "G11", 6,
                "the block length is " + std::to_string(length) +
                    " elements; a positive multiple of 64 is needed");
}

namespace {

// One value for all rows, or integers of the width of the elements, one for each.
bool gather_threshold(const Instruction& instruction, const InstructionInfo& row,
                      Problem& problem) {
    const Tile& src = instruction.tile(1);
    const Operand& value = instruction.operands[3];
    if (value.is_scalar()) {
        if (is_integer(src.dtype) == is_integer(value.scalar.dtype)) return true;
        return wrong_type(problem, row, "T02", 3, value.scalar.dtype, {src.dtype});
    }
    const DTypeSet allowed = bits(src.dtype) == 16 ? DTypeSet{kI16, kU16} : kIndex32;
    if (!allowed.contains(value.tile.dtype))
        return wrong_type(problem, row, "T08", 3, value.tile.dtype, allowed);
    if (value.tile.byte_size() * 8 >= static_cast<uint64_t>(src.valid_rows) * bits(src.dtype))
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
                                 ? DTypeSet{kI16, kU16, kI32, kU32, kF16, kF32}
                                 : DTypeSet{kF32, kF16, kI32};
    if (!sources.contains(src.dtype)) return wrong_type(problem, row, "T03", 1, src.dtype, sources);
    if (given(instruction, 2) || instruction.attributes.mask_pattern != 0)
        return fail(problem, "T00", 3, "a comparison excludes indices and a mask pattern");
    if (!given(instruction, 5))
        return fail(problem, "T00", 5, "a comparison also gives the counts: operand 'cdst'");
    if (!gather_threshold(instruction, row, problem)) return false;
    if (mode != CompareMode::kEq &&
        (mode != CompareMode::kGt || (!traits_of(arch).orders_i32 && src.dtype == kI32)))
        return fail(problem, "P02", 3, "TGATHER compares with eq and gt, i32 on a2a3 with eq");
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

}  // namespace

bool gather_indices(const Instruction& instruction, const InstructionInfo& row, Arch arch,
                    Problem& problem) {
    if (row.opcode == Opcode::kTGATHER && given(instruction, 3))
        return gather_compared(instruction, row, arch, problem);
    const Tile& dst = instruction.tile(0);
    const Tile& src = instruction.tile(1);
    if (row.opcode == Opcode::kTGATHER && given(instruction, 5))
        return fail(problem, "T00", 5, "counts are given by comparisons: operand 'kValue'");
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
    // TSCATTER goes by its indices: what has none stays where it is.
    const bool fewer = row.opcode == Opcode::kTSCATTER && indices.valid_rows <= lanes.valid_rows &&
                       indices.valid_cols <= lanes.valid_cols;
    if (same_lanes(indices, lanes) || fewer) return true;
    return wrong_valid(problem, row, "S04", 2, indices, valid_text(lanes));
}

bool gather_blocks(const Instruction& instruction, const InstructionInfo& row, Arch,
                   Problem& problem) {
    const Tile& dst = instruction.tile(0);
    const Tile& offsets = instruction.tile(2);
    if (dst.dtype != instruction.tile(1).dtype)
        return wrong_type(problem, row, "T01", 0, dst.dtype, {instruction.tile(1).dtype});
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

namespace {

struct Extent {
    DType dtype;
    int64_t rows, cols;
};

Extent extent_of(const Operand& operand) {
    if (operand.is_tile())
        return {operand.tile.dtype, operand.tile.valid_rows, operand.tile.valid_cols};
    return {operand.global.dtype, operand.global.matrix_rows(), operand.global.matrix_cols()};
}

bool empty(const GlobalView& view) {
    return std::any_of(view.shape.begin(), view.shape.end(), [](int32_t n) { return n <= 0; });
}

// Into L1 indices come from global memory, and into UB from there
// (hw-native-sys/pto-isa include/pto/npu/{a2a3,a5}/MGather.hpp, MGatherCheckGm2L1).
bool index_place(const Instruction& instruction, const InstructionInfo& row, bool gather,
                 Problem& problem) {
    const bool global = instruction.operands[2].is_global();
    const Tile& tile = instruction.tile(gather ? 0 : 1);
    const bool to_l1 = gather && tile.space == Space::kL1;
    if (global != to_l1)
        return fail(problem, "L01", 2,
                    operand_text(row, 2) + (global ? " is in global memory" : " is in UB") +
                        "; it is in global memory if the destination is in L1, and in UB if not");
    if (to_l1 && layout_name(tile) != "NZ")
        return fail(problem, "L02", 0,
                    operand_text(row, 0) + " has layout " + std::string(layout_name(tile)) +
                        "; in L1 it is NZ");
    return true;
}

// A table of fractals and tiles of fractals go together, but in L1.
bool table_layout(const Instruction& instruction, const InstructionInfo& row, bool gather,
                  Problem& problem) {
    const Tile& tile = instruction.tile(gather ? 0 : 1);
    const GlobalView& view = instruction.operands[gather ? 1 : 0].global;
    const std::string_view layout = layout_name(tile);
    const bool nz = view.layout == GlobalLayout::kNZ;
    if (tile.space == Space::kL1 ? view.layout == GlobalLayout::kND
        : nz                     ? layout == "NZ"
                                 : !tile.boxed() && view.layout <= GlobalLayout::kDN)
        return true;
    return fail(problem, "L03", gather ? 0 : 1,
                std::string(row.name) + " does not go between a " + std::string(name(view.layout)) +
                    " view and a " + std::string(layout) + " tile in " +
                    std::string(name(tile.space)),
                "NZ views go with NZ tiles in UB; ND views with ND and DN tiles in UB, and with NZ "
                "tiles in L1");
}

}  // namespace

// MGATHER (dst, mem, idx) and MSCATTER (mem, src, idx).
namespace {

// Threads that follow indices keep their data cache, of at least 32 KiB, and 8 KiB more
// in UB (hw-native-sys/pto-isa docs/isa/MGATHER.md).
bool below_data_cache(const Instruction& instruction, const InstructionInfo& row,
                      Problem& problem) {
    constexpr uint64_t kCeiling = 216 * 1024, kWhole = 256 * 1024;  // beyond the whole: A03
    for (unsigned i = 0; i < 3; ++i) {
        const Operand& operand = instruction.operands[i];
        if (!operand.is_tile() || operand.tile.space != Space::kUB) continue;
        const uint64_t end = operand.tile.address + operand.tile.byte_size();
        if (end > kCeiling && end <= kWhole)
            return fail(problem, "A09", static_cast<int>(i),
                        operand_text(row, i) + " ends at byte " + std::to_string(end) +
                            " of UB, of which " + std::string(row.name) + " leaves " +
                            std::to_string(kCeiling) + " beside its data cache",
                        "place its tiles lower, or gather in parts");
    }
    return true;
}

}  // namespace

bool memory_indices(const Instruction& instruction, const InstructionInfo& row, Arch arch,
                    Problem& problem) {
    const bool gather = instruction.operands[0].is_tile();
    const unsigned at = gather ? 0 : 1;
    const Tile& tile = instruction.tile(at);
    const GlobalView& view = instruction.operands[1 - at].global;
    const Extent indices = extent_of(instruction.operands[2]);
    if (traits_of(arch).gather_threads && !below_data_cache(instruction, row, problem))
        return false;
    const OutOfBounds policy = instruction.attributes.out_of_bounds;
    if (policy == (gather ? OutOfBounds::kSkip : OutOfBounds::kZero))
        return fail(
            problem, "P02", 2,
            std::string(row.name) + " does not " +
                (gather ? "skip indices that are outside; it gives 0 (zero)"
                        : "give 0 for indices that are outside; it leaves them out (skip)"));
    if (bits(tile.dtype) != bits(view.dtype))
        return fail(problem, "T05", static_cast<int>(at),
                    "the elements of the tile have " + std::to_string(bits(tile.dtype)) +
                        " bits, those of the view " + std::to_string(bits(view.dtype)));
    const DTypeSet atomic{kF32, kF16, kBF16, kI8, kU8, kI16, kU16, kI32, kU32};
    if (!gather && instruction.attributes.atomic != AtomicMode::kNone &&
        !atomic.contains(view.dtype))
        return wrong_type(problem, row, "G09", 0, view.dtype, atomic);
    if (!kIndex32.contains(indices.dtype))
        return wrong_type(problem, row, "T08", 2, indices.dtype, kIndex32);
    if (empty(view))
        return fail(problem, "S03", static_cast<int>(1 - at),
                    "the view is empty: " + to_text(view));
    if (!index_place(instruction, row, gather, problem) ||
        !table_layout(instruction, row, gather, problem))
        return false;
    const bool by_element = instruction.attributes.by_element;
    const int rows = tile.valid_rows;
    const bool fits = by_element ? indices.rows == rows && indices.cols == tile.valid_cols
                                 : (indices.rows == 1 && indices.cols >= rows) ||
                                       (indices.cols == 1 && indices.rows >= rows);
    if (!fits)
        return fail(problem, "S04", 2,
                    operand_text(row, 2) + " has " + shape_text(indices.rows, indices.cols) +
                        " indices; " +
                        (by_element ? valid_text(tile)
                                    : "one for each of " + std::to_string(rows) + " rows") +
                        " is needed");
    if (by_element || tile.valid_cols <= view.matrix_cols()) return true;
    return wrong_valid(problem, row, "S04", at, tile,
                       "at most " + std::to_string(view.matrix_cols()) + " columns");
}

// One source covers the destination (PA-0051..54 of hw-native-sys/pto-isa docs/coding/debug.md).
bool partial_cover(const Instruction& instruction, const InstructionInfo& row, Arch arch,
                   Problem& problem) {
    const Tile& dst = instruction.tile(0);
    const Tile& src0 = instruction.tile(1);
    const Tile& src1 = instruction.tile(2);
    const bool extreme =
        instruction.opcode == Opcode::kTPARTMAX || instruction.opcode == Opcode::kTPARTMIN;
    const bool covered = same_lanes(src0, dst) || same_lanes(src1, dst);
    if (covered || (extreme && traits_of(arch).part_extremes_fill)) {
        const bool inside = src0.valid_rows <= dst.valid_rows &&
                            src0.valid_cols <= dst.valid_cols &&
                            src1.valid_rows <= dst.valid_rows && src1.valid_cols <= dst.valid_cols;
        if (inside) return true;
    }
    return fail(problem, "S14", 1,
                operand_text(row, 1) + " is " + valid_text(src0) + " and " + operand_text(row, 2) +
                    " is " + valid_text(src1) + "; one of them must cover " + valid_text(dst) +
                    ", and neither exceed it");
}

bool partial_types(const Instruction& instruction, const InstructionInfo& row, Arch,
                   Problem& problem) {
    const DType value = instruction.tile(0).dtype;
    const DType index = instruction.tile(3).dtype;
    DTypeSet indices = kIndex32;
    if (value == kF16) indices = indices | DTypeSet{kI16, kU16};
    for (unsigned i = 0; i < 6; ++i) {
        const DType found = instruction.tile(i).dtype;
        if (i < 3 && found != value) return wrong_type(problem, row, "T01", i, found, {value});
        if (i >= 3 && (!indices.contains(found) || found != index))
            return wrong_type(problem, row, "T08", i, found, indices);
        if (i >= 3 && !same_lanes(instruction.tile(i), instruction.tile(i - 3)))
            return wrong_valid(problem, row, "S04", i, instruction.tile(i),
                               valid_text(instruction.tile(i - 3)));
    }
    return true;
}

}  // namespace ptosim::rules
