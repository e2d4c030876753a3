// Rules of instructions that move and rearrange tiles, and of matrix products.
#include "isa/legality.h"

namespace ptosim::rules {

namespace {

using enum DType;

bool is_vector(int64_t rows, int64_t cols) { return rows == 1 || cols == 1; }

std::string path_text(const Tile& from, const Tile& to) {
    return std::string(name(from.space)) + " " + std::string(layout_name(from)) + " to " +
           std::string(name(to.space)) + " " + std::string(layout_name(to));
}

// The one view and the one tile of TLOAD and TSTORE.
bool check_transfer_shapes(const GlobalView& view, int view_operand, const Tile& tile,
                           int tile_operand, const InstructionInfo& row, Problem& problem) {
    for (int32_t extent : view.shape)
        if (extent <= 0)
            return fail(problem, "S03", view_operand,
                        operand_text(row, static_cast<unsigned>(view_operand)) +
                            " has an extent of " + std::to_string(extent) + ": " + to_text(view));
    if (tile.valid_rows <= 0 || tile.valid_cols <= 0)
        return fail(problem, "S03", tile_operand,
                    operand_text(row, static_cast<unsigned>(tile_operand)) +
                        " has an empty valid region (" + valid_text(tile) + ")");
    const int64_t rows = view.matrix_rows();
    const int64_t cols = view.matrix_cols();
    const bool same = rows == tile.valid_rows && cols == tile.valid_cols;
    const bool turned = is_vector(rows, cols) && rows == tile.valid_cols && cols == tile.valid_rows;
    if (same || turned) return true;
    return fail(problem, "S04", tile_operand,
                operand_text(row, static_cast<unsigned>(tile_operand)) + " has the valid region " +
                    valid_text(tile) + ", but the view is " + shape_text(rows, cols) + " (" +
                    to_text(view) + ")",
                "set the tile's valid region to the shape of the view");
}

// The tile layout that has the order of a view's layout.
bool same_order(GlobalLayout view, const Tile& tile) {
    const std::string_view layout = layout_name(tile);
    switch (view) {
        case GlobalLayout::kND:
            return layout == "ND";
        case GlobalLayout::kDN:
            return layout == "DN";
        case GlobalLayout::kNZ:
            return layout == "NZ";
    }
    return false;
}

bool vector_path(const GlobalView& view, const Tile& tile) {
    return !tile.boxed() && view.layout != GlobalLayout::kNZ &&
           is_vector(view.matrix_rows(), view.matrix_cols()) &&
           is_vector(tile.valid_rows, tile.valid_cols);
}

std::string transfer_text(const GlobalView& view, const Tile& tile) {
    return "a " + std::string(name(view.layout)) + " view and a " + std::string(layout_name(tile)) +
           " tile in " + std::string(name(tile.space));
}

}  // namespace

// hw-native-sys/pto-isa include/pto/common/arch/memory/tload_common.hpp.
bool load_types(const Instruction& instruction, const InstructionInfo& row, Arch,
                Problem& problem) {
    const Tile& tile = instruction.tile(0);
    const GlobalView& view = instruction.operands[1].global;
    if (bits(tile.dtype) == bits(view.dtype)) return true;
    return fail(problem, "T05", 0,
                operand_text(row, 0) + " has elements of " + std::to_string(bits(tile.dtype)) +
                    " bits, " + operand_text(row, 1) + " of " + std::to_string(bits(view.dtype)) +
                    ": a transfer from global memory does not convert");
}

// The transfer has the size of the tile's valid region (docs/isa/TLOAD.md); a2a3 asserts that the
// view has no other, a5 takes the prefix of a larger one.
bool load_shapes(const Instruction& instruction, const InstructionInfo& row, Arch arch,
                 Problem& problem) {
    const GlobalView& view = instruction.operands[1].global;
    const Tile& tile = instruction.tile(0);
    if (arch != Arch::kA2A3 && tile.valid_rows > 0 && tile.valid_cols > 0 &&
        tile.valid_rows <= view.matrix_rows() && tile.valid_cols <= view.matrix_cols())
        return true;
    return check_transfer_shapes(instruction.operands[1].global, 1, instruction.tile(0), 0, row,
                                 problem);
}

bool load_layouts(const Instruction& instruction, const InstructionInfo&, Arch, Problem& problem) {
    const Tile& tile = instruction.tile(0);
    const GlobalView& view = instruction.operands[1].global;
    if (same_order(view.layout, tile) || vector_path(view, tile)) return true;
    const std::string_view layout = layout_name(tile);
    const bool to_fractals =
        tile.space == Space::kL1 && ((view.layout == GlobalLayout::kND && layout == "NZ") ||
                                     (view.layout == GlobalLayout::kDN && layout == "ZN"));
    if (to_fractals && bits(tile.dtype) < 64) return true;
    return fail(problem, "L03", 0, "no transfer exists between " + transfer_text(view, tile),
                "UB takes ND to ND, DN to DN and NZ to NZ; L1 also ND to NZ and DN to ZN");
}

bool store_types(const Instruction& instruction, const InstructionInfo& row, Arch arch,
                 Problem& problem) {
    const GlobalView& view = instruction.operands[0].global;
    const Tile& tile = instruction.tile(1);
    if (instruction.attributes.atomic != AtomicMode::kNone) {
        const DTypeSet allowed{kF32, kF16, kBF16, kI8, kI16, kI32};
        if (!allowed.contains(view.dtype))
            return fail(problem, "G09", 0,
                        "atomic stores take " + to_text(allowed) + ", but " + operand_text(row, 0) +
                            " is " + std::string(name(view.dtype)));
    }
    if (tile.space != Space::kL0C) {
        if (instruction.attributes.relu != ReluMode::kNone)
            return fail(problem, "P02", 1,
                        "relu on the way out is only done from L0C, but " + operand_text(row, 1) +
                            " is in " + std::string(name(tile.space)));
        if (bits(tile.dtype) == bits(view.dtype)) return true;
        return fail(problem, "T05", 0,
                    operand_text(row, 1) + " has elements of " + std::to_string(bits(tile.dtype)) +
                        " bits, " + operand_text(row, 0) + " of " +
                        std::to_string(bits(view.dtype)) + ": only stores from L0C convert");
    }
    const bool scaled = instruction.operand_count > 2 &&
                        (instruction.operands[2].present() || instruction.operands[3].present());
    return accumulator_types(tile.dtype, view.dtype, scaled, Space::kCount, arch, 0, problem);
}

bool store_shapes(const Instruction& instruction, const InstructionInfo& row, Arch,
                  Problem& problem) {
    return check_transfer_shapes(instruction.operands[0].global, 0, instruction.tile(1), 1, row,
                                 problem);
}

bool store_layouts(const Instruction& instruction, const InstructionInfo&, Arch arch,
                   Problem& problem) {
    const GlobalView& view = instruction.operands[0].global;
    const Tile& tile = instruction.tile(1);
    if (tile.space == Space::kL0C) {
        if (layout_name(tile) == "NZ" && (view.layout != GlobalLayout::kDN || arch != Arch::kA2A3))
            return true;
    } else if (same_order(view.layout, tile) || vector_path(view, tile)) {
        return true;
    }
    return fail(problem, "L03", 1, "no store exists between " + transfer_text(view, tile),
                "UB and L1 store ND to ND, DN to DN and NZ to NZ; L0C stores NZ to ND or NZ");
}

// hw-native-sys/pto-isa include/pto/npu/{a2a3,a5}/TStore.hpp and common.hpp, CheckTMovAccToMat.
bool accumulator_types(DType from, DType to, bool scaled, Space space, Arch arch, int operand,
                       Problem& problem) {
    DTypeSet allowed;
    const bool a5 = arch != Arch::kA2A3;
    if (from == kF32 && !scaled) {
        allowed = {kF16, kBF16};
        if (space != Space::kL1 || a5) allowed = allowed | DTypeSet{kF32};
    } else if (from == kF32) {
        allowed = {kI8, kU8};
        if (a5) allowed = allowed | DTypeSet{kE4M3, kHIF8, kF16, kBF16, kF32};
    } else if (!scaled) {
        allowed = {kI32};
    } else {
        allowed = {kI8, kU8, kF16};
        if (space == Space::kL1) allowed = allowed | DTypeSet{kI16};
        if (a5) allowed = allowed | DTypeSet{kBF16};
    }
    if (allowed.contains(to)) return true;
    return fail(problem, "T04", operand,
                "the fixpipe does not turn " + std::string(name(from)) + " into " +
                    std::string(name(to)) + (scaled ? " with a scale" : " without a scale") +
                    "; it makes " + to_text(allowed));
}

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
// on A2 and A3 (and some mobile cores), NZ on A5; b is ZN; c is NZ in fractals of 1024 bytes.
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
    const bool ok_a = arch == Arch::kA2A3 ? check(at.a, "ZZ", "ZZ")
                      : arch == Arch::kA5 ? check(at.a, "NZ", "NZ")
                                          : check(at.a, "NZ", "ZZ");
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

// hw-native-sys/pto-isa include/pto/npu/{a2a3,a5}/{TMov,TExtract,TInsert}.hpp.
bool move_paths(const Instruction& instruction, const InstructionInfo& row, Arch arch,
                Problem& problem) {
    const Tile& to = instruction.tile(0);
    const Tile& from = instruction.tile(1);
    const bool a5 = arch != Arch::kA2A3;
    auto is = [&](Space source, Space target) {
        return from.space == source && to.space == target;
    };
    const std::string_view layout = layout_name(to);
    const std::string_view source = layout_name(from);
    bool exists = false;
    bool layouts = true;
    if (is(Space::kL1, Space::kL0A)) {
        exists = true;
        layouts = layout == "ZZ" || layout == "NZ";
    } else if (is(Space::kL1, Space::kL0B)) {
        exists = true;
        layouts = layout == "ZN";
    } else if (is(Space::kL1, Space::kBias) || is(Space::kL1, Space::kFixpipe)) {
        exists = true;
        layouts = source == "ND" && layout == "ND";
    } else if (is(Space::kL1, Space::kScaleA) || is(Space::kL1, Space::kScaleB)) {
        exists = a5;
    } else if (is(Space::kUB, Space::kUB)) {
        exists = true;
        layouts = a5 || layout == source || (source == "ND" && layout == "NZ");
    } else if (is(Space::kUB, Space::kL1)) {
        exists = a5;
    } else if (is(Space::kL0C, Space::kL1)) {
        exists = true;
        layouts = source == "NZ" && (a5 || layout == "NZ");
    } else if (is(Space::kL0C, Space::kUB)) {
        exists = a5;
        layouts = source == "NZ";
    }
    if (!exists)
        return fail(problem, "L01", 1,
                    std::string(row.name) + " does not go from " + std::string(name(from.space)) +
                        " to " + std::string(name(to.space)) + " on " + std::string(name(arch)));
    if (!layouts)
        return fail(problem, "L03", 0,
                    std::string(row.name) + " does not go from " + path_text(from, to) + " on " +
                        std::string(name(arch)));
    return true;
}

bool move_types(const Instruction& instruction, const InstructionInfo& row, Arch arch,
                Problem& problem) {
    const Tile& to = instruction.tile(0);
    const Tile& from = instruction.tile(1);
    if (from.space == Space::kL0C) {
        const unsigned first = row.operands.size() > 4 ? 4 : 2;  // fp, preQuantScalar
        bool scaled = false;
        for (unsigned i = first; i < instruction.operand_count; ++i)
            scaled = scaled || instruction.operands[i].present();
        return accumulator_types(from.dtype, to.dtype, scaled, to.space, arch, 0, problem);
    }
    if (from.dtype == to.dtype) return true;
    if (to.space == Space::kBias && to.dtype == kF32 &&
        (from.dtype == kF16 || (from.dtype == kBF16 && arch != Arch::kA2A3)))
        return true;
    return fail(problem, "T01", 0,
                operand_text(row, 0) + " is " + std::string(name(to.dtype)) + ", but " +
                    operand_text(row, 1) + " is " + std::string(name(from.dtype)) +
                    ": this move does not convert");
}

bool move_shapes(const Instruction& instruction, const InstructionInfo& row, Arch,
                 Problem& problem) {
    const Tile& to = instruction.tile(0);
    const Tile& from = instruction.tile(1);
    if (to.valid_rows <= from.rows && to.valid_cols <= from.cols) return true;
    return fail(problem, "S04", 0,
                operand_text(row, 0) + " has the valid region " + valid_text(to) +
                    ", which is more than the whole of " + operand_text(row, 1) + ", " +
                    shape_text(from.rows, from.cols));
}

}  // namespace ptosim::rules
