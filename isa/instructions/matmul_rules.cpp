// Legality rules of matrix products, and the assembler's requirements on them.
#include "isa/instructions/matmul_rules.h"

#include "isa/core/arch.h"
#include "isa/instructions/assembler_rules.h"
#include "isa/legality/legality.h"

namespace ptosim::rules {

using enum DType;

namespace {

// Operand positions of (c, [c_in], a, b, [bias]).
struct Product {
    unsigned c = 0, a, b;
    int c_in = -1, bias = -1;
};

Product product_of(const Instruction& instruction, const InstructionInfo& row) {
    Product product{0, 1, 2, -1, -1};
    for (unsigned i = 0; i < instruction.operand_count; ++i) {
        const std::string_view role = row.operands[i].name;
        if (role == "a") product.a = i;
        if (role == "b") product.b = i;
        if (role == "c_in") product.c_in = static_cast<int>(i);
        if (role == "bias") product.bias = static_cast<int>(i);
    }
    return product;
}

bool check_matmul_types(const Instruction& instruction, const InstructionInfo& row, Arch,
                        Problem& problem) {
    const Product at = product_of(instruction, row);
    const DType a = instruction.tile(at.a).dtype;
    const DType b = instruction.tile(at.b).dtype;
    const DType c = instruction.tile(at.c).dtype;
    const DTypeSet fp8{kE4M3, kE5M2};
    const bool pair = a == b || (fp8.contains(a) && fp8.contains(b));
    if (!pair || c != (a == kI8 ? kI32 : kF32))
        return fail(problem, "T10", static_cast<int>(at.b),
                    "no product exists for " + std::string(name(a)) + " and " +
                        std::string(name(b)) + " into " + std::string(name(c)),
                    "i8 gives i32, all floats give f32, and both factors have one type");
    if (at.c_in >= 0 && instruction.tile(static_cast<unsigned>(at.c_in)).dtype != c)
        return fail(problem, "T10", at.c_in,
                    "the accumulator read is " +
                        std::string(name(instruction.tile(static_cast<unsigned>(at.c_in)).dtype)) +
                        ", the one written " + std::string(name(c)));
    if (at.bias >= 0 && instruction.tile(static_cast<unsigned>(at.bias)).dtype != c)
        return fail(problem, "T11", at.bias,
                    operand_text(row, static_cast<unsigned>(at.bias)) + " is " +
                        std::string(name(instruction.tile(static_cast<unsigned>(at.bias)).dtype)) +
                        ", but the accumulator is " + std::string(name(c)));
    return true;
}

}  // namespace

const LegalityRule matmul_types{
    "matmul_types", "T10 T11",
    "the factors have one type (or both 8-bit floats), the product i32 for i8 and f32 for "
    "floats; the bias has its type",
    &check_matmul_types};

namespace {

// hw-native-sys/pto-isa include/pto/common/pto_tile.hpp, TileLeft, TileRight and TileAcc: a is ZZ
// or NZ, by architecture; b is ZN; c is NZ in fractals of 1024 bytes.
bool check_matmul_layouts(const Instruction& instruction, const InstructionInfo& row, Arch arch,
                          Problem& problem) {
    const Product at = product_of(instruction, row);
    auto check = [&](unsigned i, std::string_view layout, std::string_view other) {
        const std::string_view found = layout_name(instruction.tile(i));
        if (found == layout || found == other) return true;
        return fail(problem, "L02", static_cast<int>(i),
                    operand_text(row, i) + " has layout " + std::string(found) + "; " +
                        std::string(name(arch)) + " takes " + std::string(layout));
    };
    const bool by_row = traits_of(arch).left_boxes_by_row;
    const bool ok_a = traits_of(arch).left_boxes_by_column ? check(at.a, "NZ", by_row ? "ZZ" : "NZ")
                                                           : check(at.a, "ZZ", "ZZ");
    if (!ok_a || !check(at.b, "ZN", "ZN") || !check(at.c, "NZ", "NZ")) return false;
    if (at.c_in >= 0 && !check(static_cast<unsigned>(at.c_in), "NZ", "NZ")) return false;
    if (instruction.tile(at.c).fractal != 1024)
        return fail(problem, "L05", static_cast<int>(at.c),
                    operand_text(row, at.c) + " has inner boxes of " +
                        std::to_string(instruction.tile(at.c).fractal) +
                        " bytes; accumulators have 1024");
    return true;
}

}  // namespace

const LegalityRule matmul_layouts{
    "matmul_layouts", "L02 L05",
    "a is ZZ on a2a3 and NZ on a5, b is ZN, c is NZ in boxes of 1024 bytes", &check_matmul_layouts};

namespace {

bool check_matmul_shapes(const Instruction& instruction, const InstructionInfo& row, Arch,
                         Problem& problem) {
    const Product at = product_of(instruction, row);
    const Tile& a = instruction.tile(at.a);
    const Tile& b = instruction.tile(at.b);
    // The cube takes k from a (hw-native-sys/pto-isa TMatmul.hpp), and looks for the next inner boxes after the boxes
    // of k: b may have further rows only within the last box of k.
    const int box = static_cast<int>(32 * 8 / bits(a.dtype));
    const bool rows_behind_k =
        b.valid_rows > a.valid_cols && (b.valid_rows - 1) / box == (a.valid_cols - 1) / box;
    if (a.valid_cols != b.valid_rows && !rows_behind_k)
        return fail(problem, "S08", static_cast<int>(at.b),
                    "a is " + valid_text(a) + " and b is " + valid_text(b) +
                        ": the columns of a and the rows of b differ");
    for (int extent : {a.valid_rows, a.valid_cols, b.valid_cols})
        if (extent < 1 || extent > 4095)
            return fail(problem, "S08", static_cast<int>(at.a),
                        "m, k, n are " + std::to_string(a.valid_rows) + ", " +
                            std::to_string(a.valid_cols) + ", " + std::to_string(b.valid_cols) +
                            "; each must be in 1..4095");
    auto holds = [&](int i) {
        const Tile& tile = instruction.tile(static_cast<unsigned>(i));
        if (tile.valid_rows >= a.valid_rows && tile.valid_cols >= b.valid_cols) return true;
        return fail(problem, "S08", i,
                    operand_text(row, static_cast<unsigned>(i)) + " has the valid region " +
                        valid_text(tile) + ", but the product is " +
                        shape_text(a.valid_rows, b.valid_cols));
    };
    if (!holds(static_cast<int>(at.c)) || (at.c_in >= 0 && !holds(at.c_in))) return false;
    if (at.bias >= 0) {
        const Tile& bias = instruction.tile(static_cast<unsigned>(at.bias));
        if (bias.rows != 1 || bias.valid_cols < b.valid_cols)
            return fail(problem, "S08", at.bias,
                        "the bias is " + valid_text(bias) + "; one row of " +
                            std::to_string(b.valid_cols) + " is needed");
    }
    return true;
}

}  // namespace

const LegalityRule matmul_shapes{"matmul_shapes", "S08",
                                 "m, k and n agree (b may have rows after k in its last inner boxes) and are in "
                                 "1..4095; c, c_in and bias hold the product",
                                 &check_matmul_shapes};

namespace {

bool check_gemv_shapes(const Instruction& instruction, const InstructionInfo& row, Arch,
                       Problem& problem) {
    const Product at = product_of(instruction, row);
    const Tile& a = instruction.tile(at.a);
    const Tile& b = instruction.tile(at.b);
    if (a.valid_rows != 1)
        return fail(problem, "S08", static_cast<int>(at.a),
                    operand_text(row, at.a) + " has " + std::to_string(a.valid_rows) +
                        " valid rows; a vector has one",
                    "use TMATMUL for matrices");
    if (a.valid_cols == b.valid_rows) return true;
    return fail(problem, "S08", static_cast<int>(at.b),
                "a is " + valid_text(a) + " and b is " + valid_text(b) +
                    ": all rows of b take part in the product of a vector",
                "use TMATMUL, which takes as many as a has columns");
}

}  // namespace

const LegalityRule gemv_shapes{"gemv_shapes", "S08", "a has one row, and b no rows after k",
                               &check_gemv_shapes};

namespace {

// hw-native-sys/pto-isa include/pto/common/pto_tile.hpp, SetMadTF32Mode; docs/isa/cube/ops/mad.
bool check_factor_rounding(const Instruction& instruction, const InstructionInfo& row, Arch arch,
                           Problem& problem) {
    using enum FactorRounding;
    const FactorRounding mode = instruction.attributes.factor_rounding;
    if (mode == kNone) return true;
    const bool tf32 = mode == kTf32Away || mode == kTf32Even;
    if (tf32 != (traits_of(arch).rounded_factors == RoundedFactors::kTf32))
        return fail(problem, "P02", -1,
                    std::string(name(arch)) + " rounds factors to " + (tf32 ? "hf32" : "tf32") +
                        ", not to " + (tf32 ? "tf32" : "hf32"));
    for (unsigned i = 0; i < instruction.operand_count; ++i)
        if ((row.operands[i].name == "a" || row.operands[i].name == "b") &&
            instruction.tile(i).dtype != DType::kF32)
            return fail(problem, "T10", static_cast<int>(i),
                        operand_text(row, i) + " is " +
                            std::string(name(instruction.tile(i).dtype)) +
                            "; only factors of f32 are rounded");
    return true;
}

}  // namespace

const LegalityRule factor_rounding{
    "factor_rounding", "P02 T10",
    "factors are rounded only if they are f32, to tf32 on a5 and to hf32 on a2a3",
    &check_factor_rounding};

namespace {

// hw-native-sys/pto-isa include/pto/npu/a5/TMatmul.hpp and docs/isa/TMATMUL_MX.md.
bool check_mx_product(const Instruction& instruction, const InstructionInfo& row, Arch,
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
                    "no block-scaled product exists for " + std::string(name(a->dtype)) + " and " +
                        std::string(name(b->dtype)));
    // Columns of the tile, not of its valid region: TMatmul.hpp, CheckMadMxValid.
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

}  // namespace

const LegalityRule mx_product{
    "mx_product", "T10 S09",
    "8-bit or 4-bit floats, columns of a in 64s, e8m0 scales for each 32 along k, f32 "
    "result",
    &check_mx_product};

}  // namespace ptosim::rules

namespace ptosim::rows {

void product_mx_form(const WrittenOperation& op) {
    op.require(op.arch.block_scales, "P01", "exists on a5 only");
    const Tile *a = op.tile("a"), *b = op.tile("b"), *left = op.tile("a_scale"),
               *right = op.tile("b_scale");
    if (!a || !b || !left || !right) return;
    const auto is_fp4 = [](const Tile& tile) { return bits(tile.dtype) == 4; };
    const auto is_fp8 = [](const Tile& tile) {
        return tile.dtype == DType::kE4M3 || tile.dtype == DType::kE5M2;
    };
    for (const char* name : {"a", "b"}) {
        const std::string_view text = op.type(name).text;
        const size_t at = text.find("f8E4M3");
        op.require(at == text.npos || text.substr(at + 6).starts_with("FN"), "T10",
                   "takes f8E4M3FN, not f8E4M3");
    }
    op.require((is_fp4(*a) && is_fp4(*b)) || (is_fp8(*a) && is_fp8(*b)), "T10",
               "multiplies two 8-bit or two 4-bit floats, not " + std::string(name(a->dtype)) +
                   " and " + std::string(name(b->dtype)));
    op.require(a->valid_cols == b->valid_rows || !op.is_static("a") || !op.is_static("b"), "S08",
               "takes a factor of " + std::to_string(a->valid_cols) + " columns and one of " +
                   std::to_string(b->valid_rows) + " rows");
    op.require(a->cols > 0 && a->cols % 64 == 0, "S09",
               "needs a multiple of 64 along k, not " + std::to_string(a->cols));
    const int64_t groups = ceil_div(a->valid_cols, 32);
    op.require(!op.is_static("a") || !op.is_static("a_scale") ||
                   (left->valid_rows == a->valid_rows && left->valid_cols == groups),
               "S09", "needs a_scale of " + rules::shape_text(a->valid_rows, groups));
    op.require(!op.is_static("b") || !op.is_static("b_scale") ||
                   (right->valid_rows == groups && right->valid_cols == b->valid_cols),
               "S09", "needs b_scale of " + rules::shape_text(groups, b->valid_cols));
}

}  // namespace ptosim::rows
