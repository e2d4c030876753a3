// Rules of matrix products.
#include "isa/arch.h"
#include "isa/legality.h"

namespace ptosim::rules {

namespace {

using enum DType;

}  // namespace

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

}  // namespace

bool matmul_types(const Instruction& instruction, const InstructionInfo& row, Arch,
                  Problem& problem) {
    const Product at = product_of(instruction, row);
    const DType a = instruction.tile(at.a).dtype;
    const DType b = instruction.tile(at.b).dtype;
    const DType c = instruction.tile(at.c).dtype;
    const DTypeSet fp8{kE4M3, kE5M2};
    const bool pair = a == b || (fp8.contains(a) && fp8.contains(b));
    if (!pair || c != (a == kI8 ? kI32 : kF32))
        return fail(problem, "T10", static_cast<int>(at.b),
                    "there is no product of " + std::string(name(a)) + " and " +
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

// hw-native-sys/pto-isa include/pto/common/pto_tile.hpp, TileLeft, TileRight and TileAcc: a is ZZ
// or NZ, by architecture; b is ZN; c is NZ in fractals of 1024 bytes.
bool matmul_layouts(const Instruction& instruction, const InstructionInfo& row, Arch arch,
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

bool matmul_shapes(const Instruction& instruction, const InstructionInfo& row, Arch,
                   Problem& problem) {
    const Product at = product_of(instruction, row);
    const Tile& a = instruction.tile(at.a);
    const Tile& b = instruction.tile(at.b);
    const Tile& c = instruction.tile(at.c);
    if (a.valid_cols != b.valid_rows)
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
    static_cast<void>(c);
    return true;
}

bool gemv_shapes(const Instruction& instruction, const InstructionInfo& row, Arch,
                 Problem& problem) {
    const Product at = product_of(instruction, row);
    if (instruction.tile(at.a).valid_rows == 1) return true;
    return fail(problem, "S08", static_cast<int>(at.a),
                operand_text(row, at.a) + " has " +
                    std::to_string(instruction.tile(at.a).valid_rows) +
                    " valid rows; a vector has one",
                "use TMATMUL for matrices");
}

// hw-native-sys/pto-isa include/pto/common/pto_tile.hpp, SetMadTF32Mode; docs/isa/cube/ops/mad.
bool factor_rounding(const Instruction& instruction, const InstructionInfo& row, Arch arch,
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

}  // namespace ptosim::rules
