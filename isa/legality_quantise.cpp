// Rules of quantisation, histograms and block-scaled products.
#include "isa/legality.h"

namespace ptosim::rules {

namespace {

using enum DType;

}  // namespace

bool quantised(const Instruction& instruction, const InstructionInfo& row, Arch, Problem& problem) {
    const QuantType kind = instruction.attributes.quant;
    if (kind != QuantType::kInt8Sym && kind != QuantType::kInt8Asym)
        return fail(problem, "T04", 0, "TQUANT makes 8-bit integers: INT8_SYM and INT8_ASYM",
                    "block-scaled floats are made by TQUANT_MX (tquant.mx)");
    const DType to = kind == QuantType::kInt8Sym ? kI8 : kU8;
    if (instruction.tile(0).dtype != to)
        return wrong_type(problem, row, "T04", 0, instruction.tile(0).dtype, {to});
    if ((kind == QuantType::kInt8Asym) != given(instruction, 3))
        return fail(problem, "T00", 3, "an offset belongs to INT8_ASYM, and only to it");
    for (unsigned i = 2; i < 4; ++i)
        if (given(instruction, i) &&
            (instruction.tile(i).dtype != kF32 || instruction.tile(i).valid_rows < 1 ||
             instruction.tile(i).valid_cols < 1))
            return wrong_type(problem, row, "T01", i, instruction.tile(i).dtype, {kF32});
    if (same_lanes(instruction.tile(0), instruction.tile(1))) return true;
    return wrong_valid(problem, row, "S04", 0, instruction.tile(0),
                       valid_text(instruction.tile(1)));
}

bool dequantised(const Instruction& instruction, const InstructionInfo& row, Arch,
                 Problem& problem) {
    for (unsigned i : {0u, 2u, 3u})
        if (instruction.tile(i).dtype != kF32)
            return wrong_type(problem, row, "T04", i, instruction.tile(i).dtype, {kF32});
    for (unsigned i : {2u, 3u})
        if (instruction.tile(i).valid_rows < 1 || instruction.tile(i).valid_cols < 1)
            return wrong_valid(problem, row, "S03", i, instruction.tile(i), "at least one value");
    if (same_lanes(instruction.tile(0), instruction.tile(1))) return true;
    return wrong_valid(problem, row, "S04", 1, instruction.tile(1),
                       valid_text(instruction.tile(0)));
}

namespace {

// hw-native-sys/pto-isa include/pto/cpu/TQuant.hpp, the overload with VecStoreMode::NZ.
bool boxed_exponents(const Instruction& instruction, const InstructionInfo& row, Problem& problem) {
    const Tile& src = instruction.tile(1);
    const Tile& boxes = instruction.tile(5);
    if (instruction.attributes.group_rows || instruction.attributes.quant != QuantType::kMxFp8)
        return fail(problem, "P02", 5,
                    operand_text(row, 5) + " is of MXFP8 in groups along the rows (axis1)");
    if (boxes.dtype != instruction.tile(2).dtype)
        return wrong_type(problem, row, "T01", 5, boxes.dtype, {instruction.tile(2).dtype});
    const int groups = src.valid_cols / 32;
    if (src.valid_rows % 16 != 0 || groups % 2 != 0)
        return wrong_valid(problem, row, "S09", 1, src,
                           "a multiple of 16 rows and of 64 columns, for " + operand_text(row, 5));
    if (boxes.rows == 1 && boxes.valid_cols == src.valid_rows * groups) return true;
    return wrong_valid(problem, row, "S09", 5, boxes, shape_text(1, src.valid_rows * groups));
}

}  // namespace

// hw-native-sys/PTOAS docs/PTO_IR_manual.md, pto.tquant.mx.
bool mx_quantised(const Instruction& instruction, const InstructionInfo& row, Arch,
                  Problem& problem) {
    const Attributes& modes = instruction.attributes;
    const Tile& dst = instruction.tile(0);
    const Tile& src = instruction.tile(1);
    const bool fp4 = modes.quant == QuantType::kMxFp4E2M1;
    if (!fp4 && modes.quant != QuantType::kMxFp8)
        return fail(problem, "T04", 0, "TQUANT_MX makes MXFP8 and MXFP4_E2M1",
                    "8-bit integers are made by TQUANT");
    if (modes.interleave && !modes.group_rows)
        return fail(problem, "P02", 2,
                    "exponents are interleaved only in groups down the columns (axis0)");
    if (fp4 && src.dtype == kF32) return wrong_type(problem, row, "T03", 1, kF32, {kF16, kBF16});
    const DTypeSet targets = fp4 ? DTypeSet{kE2M1} : DTypeSet{kI8, kU8, kE4M3};
    if (!targets.contains(dst.dtype)) return wrong_type(problem, row, "T04", 0, dst.dtype, targets);
    const DTypeSet exponents{kI8, kU8, kE8M0};
    if (!exponents.contains(instruction.tile(2).dtype))
        return wrong_type(problem, row, "T04", 2, instruction.tile(2).dtype, exponents);
    for (unsigned i : {3u, 4u})
        if (instruction.tile(i).dtype != src.dtype)
            return wrong_type(problem, row, "T01", i, instruction.tile(i).dtype, {src.dtype});
    if (!same_lanes(dst, src)) return wrong_valid(problem, row, "S04", 0, dst, valid_text(src));
    const bool down = modes.group_rows;
    const int length = down ? src.valid_rows : src.valid_cols;
    const int unit = modes.interleave ? 64 : 32;
    if (length < 1 || length % unit != 0)
        return wrong_valid(problem, row, "S09", 1, src,
                           "a multiple of " + std::to_string(unit) + (down ? " rows" : " columns"));
    const int rows = down ? src.valid_rows / 32 : src.valid_rows;
    const int cols = down ? src.valid_cols : src.valid_cols / 32;
    for (unsigned i : {2u, 3u, 4u}) {
        const Tile& tile = instruction.tile(i);
        const bool grouped = tile.valid_rows == rows && tile.valid_cols == cols;
        // One after the other, a tile may have room for more (whole boxes, for TMOV with scratch).
        const bool flat = !down && tile.rows == 1 && tile.valid_cols >= rows * cols;
        const bool paired = tile.valid_rows == rows / 2 && tile.valid_cols == 2 * cols;
        if (i == 2 && modes.interleave ? !paired : !grouped && !flat)
            return wrong_valid(problem, row, "S09", i, tile, shape_text(rows, cols));
    }
    return !given(instruction, 5) || boxed_exponents(instruction, row, problem);
}

bool concat_indices(const Instruction& instruction, const InstructionInfo& row, Arch,
                    Problem& problem) {
    const Tile& dst = instruction.tile(0);
    const DTypeSet indices{kI8, kU8, kI16, kU16, kI32, kU32};
    for (unsigned i = 1; i < instruction.operand_count; ++i) {
        if (!given(instruction, i)) continue;
        const Tile& tile = instruction.tile(i);
        if (i < 3 && tile.dtype != dst.dtype)
            return wrong_type(problem, row, "T01", i, tile.dtype, {dst.dtype});
        if (i >= 3 && !indices.contains(tile.dtype))
            return wrong_type(problem, row, "T08", i, tile.dtype, indices);
        if (i >= 3 && tile.dtype != instruction.tile(3).dtype)
            return wrong_type(problem, row, "T08", i, tile.dtype, {instruction.tile(3).dtype});
        if (tile.valid_rows != dst.valid_rows || (i >= 3 && tile.valid_cols < 1))
            return wrong_valid(problem, row, "S12", i, tile,
                               std::to_string(dst.valid_rows) + " rows");
    }
    return true;
}

bool histogram_bins(const Instruction& instruction, const InstructionInfo& row, Arch,
                    Problem& problem) {
    const Tile& dst = instruction.tile(0);
    const Tile& src = instruction.tile(1);
    const Tile& idx = instruction.tile(2);
    if (dst.dtype != kU32) return wrong_type(problem, row, "T04", 0, dst.dtype, {kU32});
    if (idx.dtype != kU8) return wrong_type(problem, row, "T08", 2, idx.dtype, {kU8});
    const int byte = instruction.attributes.byte_select;
    if (byte * 8 >= static_cast<int>(bits(src.dtype)))
        return fail(problem, "S15", 1,
                    operand_text(row, 1) + " has no byte " + std::to_string(byte));
    const int filters = static_cast<int>(bits(src.dtype) / 8) - 1 - byte;
    const int idx_rows = bits(src.dtype) == 16 ? (filters > 0 ? src.valid_rows : 0) : filters;
    if (idx.valid_rows < idx_rows || (idx_rows > 0 && idx.valid_cols < 1))
        return wrong_valid(problem, row, "S15", 2, idx, shape_text(idx_rows, 1));
    if (dst.valid_cols >= 256 && dst.valid_rows >= src.valid_rows) return true;
    return wrong_valid(problem, row, "S15", 0, dst, shape_text(src.valid_rows, 256));
}

// hw-native-sys/pto-isa include/pto/npu/a5/TMatmul.hpp and docs/isa/TMATMUL_MX.md.
bool mx_product(const Instruction& instruction, const InstructionInfo& row, Arch,
                Problem& problem) {
    const DTypeSet fp8{kE4M3, kE5M2};
    const DTypeSet fp4{kE2M1, kE1M2};
    const Tile *a = nullptr, *b = nullptr;
    for (unsigned i = 0; i < instruction.operand_count; ++i) {
        if (row.operands[i].name == "a") a = &instruction.tile(i);
        if (row.operands[i].name == "b") b = &instruction.tile(i);
        if ((row.operands[i].name == "c" || row.operands[i].name == "bias" ||
             row.operands[i].name == "c_in") &&
            instruction.tile(i).dtype != kF32)
            return wrong_type(problem, row, "T10", i, instruction.tile(i).dtype, {kF32});
    }
    const bool same_class = (fp8.contains(a->dtype) && fp8.contains(b->dtype)) ||
                            (fp4.contains(a->dtype) && fp4.contains(b->dtype));
    if (!same_class)
        return fail(problem, "T10", -1,
                    "there is no block-scaled product of " + std::string(name(a->dtype)) + " and " +
                        std::string(name(b->dtype)));
    // Of the tile, not of what is valid: TMatmul.hpp, CheckMadMxValid.
    if (a->cols % 64 != 0)
        return fail(problem, "S09", -1,
                    "the left factor has " + std::to_string(a->cols) +
                        " columns; a multiple of 64 is needed");
    const int groups = (a->valid_cols + 31) / 32;
    for (unsigned i = 0; i < instruction.operand_count; ++i) {
        const bool left = row.operands[i].name == "a_scale";
        if (!left && row.operands[i].name != "b_scale") continue;
        const Tile& scale = instruction.tile(i);
        if (scale.dtype != kE8M0) return wrong_type(problem, row, "T10", i, scale.dtype, {kE8M0});
        const int rows = left ? a->valid_rows : groups;
        const int cols = left ? groups : b->valid_cols;
        if (scale.valid_rows < rows || scale.valid_cols < cols)
            return wrong_valid(problem, row, "S09", i, scale, shape_text(rows, cols));
    }
    return true;
}

}  // namespace ptosim::rules
