// Legality rules of transfers and TPRINT, and the assembler's requirements on them.
#include "isa/instructions/transfer_rules.h"

#include <algorithm>

#include "isa/core/arch.h"
#include "isa/instructions/assembler_rules.h"
#include "isa/legality/legality.h"
#include "isa/table/access.h"

namespace ptosim::rules {

using enum DType;

namespace {

bool is_vector(int64_t rows, int64_t cols) { return rows == 1 || cols == 1; }

// A line between global memory and UB that is shorter in the tile than in the view. The engine moves as many bytes as
// the tile's line has (hw-native-sys/pto-isa include/pto/common/arch/memory/tload_common.hpp, TLoadGm2ubNd2nd and
// TLoadGm2ubDn2dn). With several lines only the first would get to the right place, because the engine takes the gap
// between lines from the view.
bool is_shorter_line(const GlobalView& view, const Tile& tile) {
    if (tile.space != Space::kUB || tile.boxed()) return false;
    const std::string_view layout = layout_name(tile);
    if (view.layout == GlobalLayout::kND && layout == "ND")
        return view.matrix_rows() == 1 && tile.valid_rows == 1 &&
               tile.valid_cols < view.matrix_cols();
    return view.layout == GlobalLayout::kDN && layout == "DN" && view.matrix_cols() == 1 &&
           tile.valid_cols == 1 && tile.valid_rows < view.matrix_rows();
}

// The view has no rows or no columns left, as a part of an array may, and the tile's valid region has none either: the
// engine has nothing to move. hw-native-sys/pypto tests/st/runtime/framework_and_models/test_jit.py runs such blocks on
// a device.
bool both_empty(const GlobalView& view, const Tile& tile) {
    const bool whole = std::all_of(view.shape.begin(), view.shape.end(),
                                   [](int32_t extent) { return extent >= 0; });
    return whole && (tile.valid_rows == 0 || tile.valid_cols == 0) &&
           view.matrix_rows() == tile.valid_rows && view.matrix_cols() == tile.valid_cols;
}

// The one view and the one tile of TLOAD and TSTORE.
bool check_transfer_shapes(const GlobalView& view, int view_operand, const Tile& tile,
                           int tile_operand, const InstructionInfo& row, Problem& problem) {
    if (both_empty(view, tile)) return true;
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
    // Blocks of NZ are transferred whole.
    const bool nz = view.layout == GlobalLayout::kNZ && layout_name(tile) == "NZ";
    const bool filled_up = nz && tile.space != Space::kL0C && rows == tile.valid_rows &&
                           cols >= tile.valid_cols && cols - tile.valid_cols < tile.box_cols() &&
                           cols <= tile.cols;
    if (same || turned || filled_up) return true;
    problem.goes_on = is_shorter_line(view, tile);
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
        default:
            return false;
    }
}

bool vector_path(const GlobalView& view, const Tile& tile) {
    return !tile.boxed() && view.layout <= GlobalLayout::kDN &&
           is_vector(view.matrix_rows(), view.matrix_cols()) &&
           is_vector(tile.valid_rows, tile.valid_cols);
}

std::string transfer_text(const GlobalView& view, const Tile& tile) {
    return "a " + std::string(name(view.layout)) + " view and a " + std::string(layout_name(tile)) +
           " tile in " + std::string(name(tile.space));
}

// hw-native-sys/pto-isa include/pto/common/arch/memory/tload_common.hpp.
bool check_load_types(const Instruction& instruction, const InstructionInfo& row, Arch,
                      Problem& problem) {
    const Tile& tile = instruction.tile(0);
    const GlobalView& view = instruction.operands[1].global;
    if (bits(tile.dtype) == bits(view.dtype)) return true;
    return fail(problem, "T05", 0,
                operand_text(row, 0) + " has elements of " + std::to_string(bits(tile.dtype)) +
                    " bits, " + operand_text(row, 1) + " of " + std::to_string(bits(view.dtype)) +
                    ": a transfer from global memory does not convert");
}

}  // namespace

const LegalityRule load_types{"load_types", "T05", "elements of tile and view have one size",
                              &check_load_types};

namespace {

// The transfer has the size of the tile's valid region (docs/isa/TLOAD.md), and the view no other,
// or its prefix has.
bool check_load_shapes(const Instruction& instruction, const InstructionInfo& row, Arch arch,
                       Problem& problem) {
    const GlobalView& view = instruction.operands[1].global;
    const Tile& tile = instruction.tile(0);
    if (is_convolution(view.layout) || instruction.attributes.convolution().dst.given()) return true;
    if (traits_of(arch).loads_prefix && tile.valid_rows > 0 && tile.valid_cols > 0 &&
        tile.valid_rows <= view.matrix_rows() && tile.valid_cols <= view.matrix_cols())
        return true;
    return check_transfer_shapes(instruction.operands[1].global, 1, instruction.tile(0), 0, row,
                                 problem);
}

}  // namespace

const LegalityRule load_shapes{
    "load_shapes", "S03 S04",
    "the view has the shape of the valid region (a5: or a larger one); if one of them is empty, so "
    "is the other (a run goes on with a warning where a line in UB is shorter than the view's)",
    &check_load_shapes};

namespace {

// Scales of block-scaled factors on their way to L1 (hw-native-sys/pto-isa
// include/pto/npu/a5/TLoad.hpp, TLoadMxCubeCheck and TLoadMxCubeAVector).
bool scale_path(const GlobalView& view, const Tile& tile) {
    if (tile.space != Space::kL1 || tile.dtype != kE8M0 || view.dtype != kE8M0 ||
        tile.fractal != 32)
        return false;
    const std::string_view layout = layout_name(tile);
    switch (view.layout) {
        case GlobalLayout::kMxAND:
        case GlobalLayout::kMxADN:
        case GlobalLayout::kMxAZZ:
            return layout == "ZZ";
        case GlobalLayout::kMxBND:
        case GlobalLayout::kMxBDN:
        case GlobalLayout::kMxBNN:
            return layout == "NN";
        case GlobalLayout::kND:
            return layout == "ZZ" && tile.rows == 1;
        default:
            return false;
    }
}

bool check_load_layouts(const Instruction& instruction, const InstructionInfo& row, Arch arch,
                        Problem& problem) {
    const Tile& tile = instruction.tile(0);
    const GlobalView& view = instruction.operands[1].global;
    if (is_convolution(view.layout) || instruction.attributes.convolution().dst.given())
        return convolution_load(instruction, row, arch, problem);
    if (same_order(view.layout, tile) || vector_path(view, tile)) return true;
    if (traits_of(arch).block_scales && scale_path(view, tile)) return true;
    const std::string_view layout = layout_name(tile);
    const bool to_fractals =
        tile.space == Space::kL1 &&
        ((view.layout == GlobalLayout::kND && layout == "NZ") ||
         (view.layout == GlobalLayout::kDN && layout == "ZN") ||
         (view.layout == GlobalLayout::kDN && layout == "NZ" && traits_of(arch).loads_dn_to_nz));
    if (to_fractals && bits(tile.dtype) < 64) return true;
    return fail(problem, "L03", 0, "no transfer exists between " + transfer_text(view, tile),
                "UB takes ND to ND, DN to DN and NZ to NZ; L1 also ND to NZ and DN to ZN, on a5 DN "
                "to NZ and e8m0 scales (MX_A_* to ZZ, MX_B_* to NN in boxes of 32 bytes)");
}

}  // namespace

const LegalityRule load_layouts{
    "load_layouts", "L03 L01 S03 S04",
    "a transfer exists between the layouts of view and tile; convolution tiles have the extents "
    "of the view",
    &check_load_layouts};

namespace {

bool check_store_types(const Instruction& instruction, const InstructionInfo& row, Arch arch,
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
    if (!check_scales(instruction, row, tile, 2, tile.valid_cols, problem)) return false;
    if (tile.space != Space::kL0C) {
        if (instruction.attributes.relu != ReluMode::kNone)
            return fail(problem, "P02", 1,
                        "relu is only supported for stores out of L0C, but " + operand_text(row, 1) +
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

}  // namespace

const LegalityRule store_types{
    "store_types", "T05 T04 G09 P02 T00 T03 T12 S04",
    "elements have one size; out of L0C the fixpipe makes the type; the view takes "
    "atomics; scales and relu only out of L0C",
    &check_store_types};

namespace {

bool check_store_shapes(const Instruction& instruction, const InstructionInfo& row, Arch,
                        Problem& problem) {
    const GlobalView& view = instruction.operands[0].global;
    const Tile& tile = instruction.tile(1);
    if (!check_transfer_shapes(view, 0, tile, 1, row, problem)) return false;
    const int32_t beyond = instruction.attributes.beyond_view;
    if (beyond == 0) return true;
    const int32_t line = layout_name(tile) == "DN" ? tile.valid_rows : tile.valid_cols;
    problem.goes_on = true;
    return fail(problem, "S04", 1,
                operand_text(row, 1) + " has lines of " + std::to_string(line) +
                    " elements, but the view's have " + std::to_string(line - beyond) +
                    ": the bytes after each are overwritten",
                "set the tile's valid region to the shape of the view");
}

}  // namespace

const LegalityRule store_shapes{
    "store_shapes", "S03 S04",
    "the view has the shape of the valid region; if one of them is empty, so is the other (a run "
    "goes on with a warning where a line in UB is shorter than the view's, or in C++ longer)",
    &check_store_shapes};

namespace {

bool check_store_layouts(const Instruction& instruction, const InstructionInfo&, Arch arch,
                         Problem& problem) {
    const GlobalView& view = instruction.operands[0].global;
    const Tile& tile = instruction.tile(1);
    if (tile.space == Space::kL0C) {
        using enum GlobalLayout;
        const auto one_of = [&](std::initializer_list<GlobalLayout> layouts) {
            return std::find(layouts.begin(), layouts.end(), view.layout) != layouts.end();
        };
        // hw-native-sys/pto-isa include/pto/npu/a5/TStore.hpp, CheckStaticAcc.
        const bool is_listed =
            one_of({kND, kNZ, kNC1HWC0, kNDC1HWC0}) ||
            (traits_of(arch).fixpipe_turns && one_of({kDN, kNHWC, kNCHW, kNCDHW}));
        if (layout_name(tile) == "NZ" && is_listed) return true;
    } else if (same_order(view.layout, tile) || vector_path(view, tile)) {
        return true;
    }
    return fail(problem, "L03", 1, "no store exists between " + transfer_text(view, tile),
                "UB and L1 store ND to ND, DN to DN and NZ to NZ; L0C stores NZ to ND, NZ, "
                "NC1HWC0 or NDC1HWC0, on a5 to DN, NHWC, NCHW and NCDHW, too");
}

}  // namespace

const LegalityRule store_layouts{"store_layouts", "L03",
                                 "a store exists between the layouts of tile and view",
                                 &check_store_layouts};

namespace {

// Largest count of a field of a transfer's instruction.
struct Bound {
    bool store;
    Space space;
    GlobalLayout view;
    std::string_view tile;  // its layout; empty: any
    bool is_stride;
    unsigned dim;
    int64_t limit;
};

// hw-native-sys/pto-isa include/pto/common/arch/memory/tload_common.hpp and tstore_common.hpp.
constexpr Bound kBounds[] = {
    {false, Space::kUB, GlobalLayout::kND, "", false, 3, 4095},
    {false, Space::kUB, GlobalLayout::kDN, "", false, 4, 4095},
    {false, Space::kUB, GlobalLayout::kNZ, "", false, 1, 4095},
    {false, Space::kL1, GlobalLayout::kND, "NZ", false, 3, 16384},
    {false, Space::kL1, GlobalLayout::kND, "NZ", false, 4, 65535},
    {false, Space::kL1, GlobalLayout::kND, "NZ", true, 3, 65535},
    {false, Space::kL1, GlobalLayout::kDN, "ZN", false, 4, 16384},
    {false, Space::kL1, GlobalLayout::kDN, "ZN", false, 3, 65535},
    {false, Space::kL1, GlobalLayout::kDN, "ZN", true, 4, 65535},
    {true, Space::kUB, GlobalLayout::kND, "", false, 3, 4095},
    {true, Space::kUB, GlobalLayout::kDN, "", false, 4, 4095},
    {true, Space::kUB, GlobalLayout::kNZ, "", false, 1, 4095},
    {true, Space::kL0C, GlobalLayout::kND, "", false, 3, 8192},
    {true, Space::kL0C, GlobalLayout::kND, "", false, 4, 4095},
};

bool applies(const Bound& bound, bool store, const Tile& tile, const GlobalView& view) {
    return bound.store == store && bound.space == tile.space && bound.view == view.layout &&
           (bound.tile.empty() || bound.tile == layout_name(tile));
}

// (dst, src) of TLOAD, and of TSTORE.
bool check_transfer_bounds(const Instruction& instruction, const InstructionInfo& row, Arch arch,
                           Problem& problem) {
    const bool store = row.opcode == Opcode::kTSTORE;
    const unsigned at = store ? 0 : 1;
    const GlobalView& view = instruction.operands[at].global;
    for (unsigned dim = 0; dim < GlobalView::kRank; ++dim)
        if (view.shape[dim] > 1 && view.stride[dim] < 0)
            return fail(problem, "S01", static_cast<int>(at),
                        operand_text(row, at) + " has a stride of " +
                            std::to_string(view.stride[dim]) + " in dimension " +
                            std::to_string(dim) + "; " + std::string(row.name) +
                            " counts strides upwards",
                        "start the view at its lowest address, and reverse the order elsewhere");
    if (!traits_of(arch).bounded_transfers) return true;
    for (const Bound& bound : kBounds) {
        if (!applies(bound, store, instruction.tile(1 - at), view)) continue;
        const int64_t value = bound.is_stride ? view.stride[bound.dim] : view.shape[bound.dim];
        if (value <= bound.limit) continue;
        return fail(problem, "S01", static_cast<int>(at),
                    operand_text(row, at) + " has a " + (bound.is_stride ? "stride" : "shape") +
                        " of " + std::to_string(value) + " in dimension " +
                        std::to_string(bound.dim) + "; " + std::string(row.name) +
                        " of this kind on " + std::string(name(arch)) + " takes at most " +
                        std::to_string(bound.limit),
                    "transfer it in parts");
    }
    return true;
}

}  // namespace

const LegalityRule transfer_bounds{"transfer_bounds", "S01",
                                   "no stride is negative; a2a3: extents and strides fit the fields of the transfer",
                                   &check_transfer_bounds};

namespace {

bool check_transfer_lines(const Instruction& instruction, const InstructionInfo& row, Arch,
                          Problem& problem) {
    const unsigned at = instruction.operands[0].is_global() ? 0 : 1;
    const GlobalView& view = instruction.operands[at].global;
    const Tile& tile = instruction.tile(1 - at);
    if (is_convolution(view.layout) || instruction.attributes.convolution().dst.given()) return true;
    const GlobalView moved = with_dense_lines(view, tile);
    if (moved == view) return true;
    unsigned dim = GlobalView::kRank - 1;
    while (moved.stride[dim] == view.stride[dim]) --dim;
    problem.goes_on = true;
    return fail(problem, "L06", static_cast<int>(at),
                operand_text(row, at) + " has a stride of " + std::to_string(view.stride[dim]) +
                    " in dimension " + std::to_string(dim) + ", along a line of " +
                    transfer_text(view, tile) + ", which " + std::string(row.name) +
                    " does not read: it moves " + std::to_string(view.shape[dim]) +
                    " elements that follow one another",
                tile.boxed() ? "copy the elements in lines that are contiguous"
                             : "use a tile of the other layout, or one transfer for each element");
}

}  // namespace

const LegalityRule transfer_lines{
    "transfer_lines", "L06",
    "elements of a line follow one another in global memory: the view's stride along it is not read "
    "(a run goes on with a warning)",
    &check_transfer_lines};

namespace {

// hw-native-sys/pto-isa docs/isa/TPRINT.md.
bool check_printable(const Instruction& instruction, const InstructionInfo& row, Arch arch,
                     Problem& problem) {
    const Operand& source = instruction.operands[0];
    const DType type = source.is_tile() ? source.tile.dtype : source.global.dtype;
    const DTypeSet types{kF32, kF16, kI8, kU8, kI16, kU16, kI32, kU32};
    if (!types.contains(type))
        return fail(problem, "T03", 0,
                    operand_text(row, 0) + " is " + std::string(name(type)) + "; TPRINT takes " +
                        to_text(types));
    if (!source.is_tile()) return true;
    const Space space = source.tile.space;
    if (space == Space::kUB || space == Space::kL0C ||
        (space == Space::kL1 && traits_of(arch).prints_l1))
        return true;
    return fail(problem, "L01", 0,
                operand_text(row, 0) + " is in " + std::string(name(space)) +
                    "; TPRINT takes tiles from UB, L0C and, on a2a3, L1");
}

}  // namespace

const LegalityRule printable{
    "printable", "T03 L01",
    "the elements are integers of at most 32 bits, f16 or f32; a tile in UB, L0C or (a2a3) L1",
    &check_printable};

}  // namespace ptosim::rules

namespace ptosim::rows {

void load_form(const WrittenOperation& op) {
    const Tile* tile = op.tile("dst");
    if (op.given("src"))
        for (const int64_t extent : op.type("src").dims)
            op.require(extent != 0, "S03", "loads from a view without empty extents");
    if (tile == nullptr) return;
    op.require(op.for_a5() || tile->space == Space::kUB || tile->space == Space::kL1, "L01",
               "loads into tiles in vec or mat on a2a3");
    op.require(!op.for_a5() || bits(tile->dtype) != 64 || tile->pad == Pad::kNull ||
                   tile->pad == Pad::kZero,
               "D06", "pads tiles of 64-bit integers with zero only on a5");
    const bool nz = tile->outer == OuterLayout::kColMajor && tile->inner == InnerLayout::kRowMajor;
    op.require(!op.for_a5() || tile->space != Space::kUB || !tile->boxed() || nz, "L03",
               "fills tiles in vec that are ND, DN or NZ on a5");
}

void store_form(const WrittenOperation& op) {
    const Tile* tile = op.tile("src");
    if (tile == nullptr) return;
    const bool a5 = op.for_a5(), accumulator = tile->space == Space::kL0C;
    op.require(!a5 || tile->space == Space::kUB || accumulator, "L01",
               "stores tiles in vec or acc on a5");
    op.require(!a5 || !accumulator || tile->dtype == DType::kF32 || tile->dtype == DType::kI32,
               "T03", "stores accumulators of f32 or i32, not " + std::string(name(tile->dtype)));
    const bool nz = tile->outer == OuterLayout::kColMajor && tile->inner == InnerLayout::kRowMajor;
    op.require(!a5 || accumulator || !tile->boxed() || nz || tile->rows == 1 || tile->cols == 1,
               "L03", "stores tiles in vec that are ND, DN or NZ on a5");
    if (!op.given("dst")) return;
    const WrittenType view = op.type("dst");
    const DTypeSet unscaled{DType::kI32, DType::kU32, DType::kF32, DType::kF16, DType::kBF16};
    op.require(!accumulator || op.given("fp") || op.given("preQuantScalar") || !view.dtype ||
                   unscaled.contains(*view.dtype),
               "T04", "makes i32, f32, f16 and bf16 of an accumulator without a scale");
    const bool scaled = op.given("fp") || op.given("preQuantScalar");
    op.require(!a5 || !accumulator || !scaled || view.dtype != DType::kE5M2, "T04",
               "makes no e5m2 of an accumulator with a scale");
    int64_t count = 1;
    for (const int64_t extent : view.dims) {
        if (extent <= 0) return;
        count *= std::min<int64_t>(extent, INT32_MAX);
    }
    const bool open = !op.is_static("src") || valid_elements(*tile) == 0 || op.given("fp");
    op.require(open || count == valid_elements(*tile), "S04",
               "stores " + std::to_string(valid_elements(*tile)) +
                   " valid elements into a view of " + std::to_string(count));
}

void print_form(const WrittenOperation& op) {
    op.require(!op.given("tmp") || op.tile("src") != nullptr, "T00",
               "takes a tmp only with a tile");
}

}  // namespace ptosim::rows
