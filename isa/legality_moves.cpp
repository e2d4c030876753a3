// Rules of transfers and moves.
#include <algorithm>

#include "isa/arch.h"
#include "isa/legality.h"
#include "isa/remote_operands.h"

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
    // Blocks of NZ are transferred whole.
    const bool nz = view.layout == GlobalLayout::kNZ && layout_name(tile) == "NZ";
    const bool filled_up = nz && tile.space != Space::kL0C && rows == tile.valid_rows &&
                           cols >= tile.valid_cols && cols - tile.valid_cols < tile.box_cols() &&
                           cols <= tile.cols;
    if (same || turned || filled_up) return true;
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

// The transfer has the size of the tile's valid region (docs/isa/TLOAD.md), and the view no other,
// or its prefix has.
bool load_shapes(const Instruction& instruction, const InstructionInfo& row, Arch arch,
                 Problem& problem) {
    const GlobalView& view = instruction.operands[1].global;
    const Tile& tile = instruction.tile(0);
    if (is_convolution(view.layout) || instruction.attributes.conv_dst.given()) return true;
    if (traits_of(arch).loads_prefix && tile.valid_rows > 0 && tile.valid_cols > 0 &&
        tile.valid_rows <= view.matrix_rows() && tile.valid_cols <= view.matrix_cols())
        return true;
    return check_transfer_shapes(instruction.operands[1].global, 1, instruction.tile(0), 0, row,
                                 problem);
}

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

}  // namespace

bool load_layouts(const Instruction& instruction, const InstructionInfo& row, Arch arch,
                  Problem& problem) {
    const Tile& tile = instruction.tile(0);
    const GlobalView& view = instruction.operands[1].global;
    if (is_convolution(view.layout) || instruction.attributes.conv_dst.given())
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

namespace {

// Operands `fp` and `preQuantScalar` at `first` and `first` + 1: at most one, only out of L0C; the
// table has a 64-bit parameter for each of `cols` columns.
bool check_scales(const Instruction& instruction, const InstructionInfo& row, const Tile& from,
                  unsigned first, int cols, Problem& problem) {
    const auto given = [&](unsigned i) {
        return i < instruction.operand_count && instruction.operands[i].present();
    };
    if (!given(first) && !given(first + 1)) return true;
    const unsigned at = given(first) ? first : first + 1;
    if (from.space != Space::kL0C)
        return fail(problem, "P02", static_cast<int>(at),
                    operand_text(row, at) + " scales what leaves L0C, but " + operand_text(row, 1) +
                        " is in " + std::string(name(from.space)));
    if (given(first) && given(first + 1))
        return fail(problem, "T00", static_cast<int>(first + 1),
                    operand_text(row, first) + " and " + operand_text(row, first + 1) +
                        " exclude each other: a value has one scale");
    if (!given(first)) return true;
    const Tile& table = instruction.tile(first);
    if (bits(table.dtype) != 64 || !is_integer(table.dtype))
        return fail(problem, "T12", static_cast<int>(first),
                    operand_text(row, first) + " is " + std::string(name(table.dtype)) +
                        "; quantisation parameters are u64");
    if (table.valid_rows >= 1 && table.valid_cols >= cols) return true;
    return fail(problem, "S04", static_cast<int>(first),
                operand_text(row, first) + " has the valid region " + valid_text(table) +
                    "; one row of " + std::to_string(cols) + " parameters is needed");
}

}  // namespace

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
    if (!check_scales(instruction, row, tile, 2, tile.valid_cols, problem)) return false;
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

// hw-native-sys/pto-isa include/pto/npu/{a2a3,a5}/TStore.hpp and common.hpp, CheckTMovAccToMat.
bool accumulator_types(DType from, DType to, bool scaled, Space space, Arch arch, int operand,
                       Problem& problem) {
    if (from != kF32 && from != kI32)
        return fail(problem, "T03", operand == 0 ? 1 : 0,
                    "accumulators are f32 or i32, not " + std::string(name(from)));
    DTypeSet allowed;
    const bool more = traits_of(arch).fixpipe_scales_to_floats;
    if (from == kF32 && !scaled) {
        allowed = {kF16, kBF16};
        if (space != Space::kL1 || more) allowed = allowed | DTypeSet{kF32};
    } else if (from == kF32) {
        allowed = {kI8, kU8};
        if (more) allowed = allowed | DTypeSet{kE4M3, kHIF8, kF16, kBF16, kF32};
    } else if (!scaled) {
        allowed = {kI32};
    } else {
        allowed = {kI8, kU8, kF16};
        if (space == Space::kL1) allowed = allowed | DTypeSet{kI16};
        if (more) allowed = allowed | DTypeSet{kBF16};
    }
    if (allowed.contains(to)) return true;
    return fail(problem, "T04", operand,
                "the fixpipe does not turn " + std::string(name(from)) + " into " +
                    std::string(name(to)) + (scaled ? " with a scale" : " without a scale") +
                    "; it makes " + to_text(allowed));
}

namespace {

// A way between two memories: the layouts that it starts from and ends in.
struct MovePath {
    bool mov, extract, insert;
    Space from;
    std::string_view from_layouts;
    Space to;
    std::string_view to_layouts;  // "=": the layout of the source
    ArchCondition on = nullptr;
    bool one_row = false;  // of the source
};
using A = ArchTraits;

// hw-native-sys/pto-isa include/pto/npu/{a2a3,a5}/{TMov,TExtract,TInsert}.hpp and common.hpp.
constexpr MovePath kMovePaths[] = {
    {true, true, false, Space::kL1, "NZ ZN", Space::kL0A, "ZZ", &A::left_boxes_by_row},
    {true, true, false, Space::kL1, "NZ ZN", Space::kL0A, "NZ", &A::left_boxes_by_column},
    {true, true, false, Space::kL1, "ND", Space::kL0A, "ZZ", &A::left_boxes_by_row, true},
    {true, true, false, Space::kL1, "ND", Space::kL0A, "NZ", &A::left_boxes_by_column, true},
    {true, true, false, Space::kL1, "NZ ZN", Space::kL0B, "ZN"},
    {true, false, false, Space::kL1, "ND", Space::kBias, "ND"},
    {true, false, false, Space::kL1, "ND", Space::kFixpipe, "ND"},
    {true, true, false, Space::kL1, "ZZ", Space::kScaleA, "ZZ", &A::block_scales},
    {true, true, false, Space::kL1, "NN", Space::kScaleB, "NN", &A::block_scales},
    // copy_cbuf_to_ubuf: bytes as they are, into one vector core.
    {true, false, false, Space::kL1, "ND", Space::kUB, "=", &A::l1_to_ub},
    {true, false, false, Space::kUB, "ND DN NZ ZN ZZ NN", Space::kUB, "="},
    {true, false, false, Space::kUB, "ND", Space::kUB, "NZ ZN ZZ", &A::moves_ub_boxed},
    {false, true, true, Space::kUB, "ND NZ", Space::kUB, "="},
    {false, true, false, Space::kUB, "ND", Space::kUB, "NZ"},
    {true, true, true, Space::kUB, "ND NZ", Space::kL1, "=", &A::reaches_other_cores},
    {false, false, true, Space::kUB, "ZN ZZ", Space::kL1, "=", &A::reaches_other_cores},
    {true, true, true, Space::kL0C, "NZ", Space::kL1, "NZ"},
    {true, true, false, Space::kL0C, "NZ", Space::kL1, "ND", &A::fixpipe_to_rows_in_l1},
    {true, false, false, Space::kL0C, "NZ", Space::kL1, "DN", &A::fixpipe_to_rows_in_l1},
    {true, true, true, Space::kL0C, "NZ", Space::kUB, "ND NZ", &A::reaches_other_cores},
    {true, false, true, Space::kL0C, "NZ", Space::kUB, "DN", &A::reaches_other_cores},
};

bool takes(const MovePath& path, Opcode opcode, Arch arch) {
    const bool instruction = opcode == Opcode::kTEXTRACT  ? path.extract
                             : opcode == Opcode::kTINSERT ? path.insert
                                                          : path.mov;
    return instruction && holds(path.on, arch);
}

}  // namespace

bool move_paths(const Instruction& instruction, const InstructionInfo& row, Arch arch,
                Problem& problem) {
    const Tile& to = instruction.tile(0);
    const Tile& from = instruction.tile(1);
    const std::string_view target = layout_name(to);
    const std::string_view source = layout_name(from);
    bool memories = false;
    std::string listed;
    for (const MovePath& path : kMovePaths) {
        if (!takes(path, row.opcode, arch)) continue;
        if (path.from != from.space || path.to != to.space) continue;
        memories = true;
        const bool starts = path.from_layouts.find(source) != std::string_view::npos &&
                            (!path.one_row || from.rows == 1);
        const bool ends = path.to_layouts == "="
                              ? target == source
                              : path.to_layouts.find(target) != std::string_view::npos;
        if (starts && ends) return true;
        listed += (listed.empty() ? "" : "; ") + std::string(path.from_layouts) +
                  (path.one_row ? " of one row" : "") + " to " +
                  (path.to_layouts == "=" ? "the same" : std::string(path.to_layouts));
    }
    if (!memories)
        return fail(problem, "L01", 1,
                    std::string(row.name) + " does not go from " + std::string(name(from.space)) +
                        " to " + std::string(name(to.space)) + " on " + std::string(name(arch)));
    return fail(problem, "L03", 0,
                std::string(row.name) + " does not go from " + path_text(from, to) + " on " +
                    std::string(name(arch)),
                "between these memories it goes from " + listed);
}

namespace {

// hw-native-sys/pto-isa include/pto/npu/a5/TPush.hpp: rows in two halves, columns in two of 16
// each.
bool check_dual_move(const Instruction& instruction, const InstructionInfo& row, Problem& problem) {
    const Tile& to = instruction.tile(0);
    const bool rows = instruction.attributes.acc_to_vec == AccToVec::kDualSplitM;
    const int32_t part = rows ? to.valid_rows : to.valid_cols;
    const int32_t unit = rows ? 1 : 16;
    const int32_t whole = dual_extent(instruction);
    if (row.opcode == Opcode::kTEXTRACT  ? part % unit == 0
        : row.opcode == Opcode::kTINSERT ? whole % (2 * unit) == 0
                                         : whole % (2 * unit) == 0 && part * 2 == whole)
        return true;
    return fail(problem, "S04", 0,
                "a move to both vector cores gives each half of " + std::to_string(whole) +
                    (rows ? " rows" : " columns") + ", but " + operand_text(row, 0) + " has " +
                    std::to_string(part),
                rows ? "move an even number of rows" : "move a multiple of 32 columns");
}

// Modes of the way out of L0C are refused elsewhere, not ignored.
bool check_move_modes(const Instruction& instruction, const InstructionInfo& row,
                      Problem& problem) {
    const Tile& to = instruction.tile(0);
    const Tile& from = instruction.tile(1);
    const Attributes& modes = instruction.attributes;
    if (modes.relu != ReluMode::kNone && from.space != Space::kL0C)
        return fail(problem, "P02", 1,
                    "relu is only done on the way out of L0C, but " + operand_text(row, 1) +
                        " is in " + std::string(name(from.space)));
    if (modes.insert_split != 0) {
        const bool nz = from.space == Space::kUB && to.space == Space::kL1 &&
                        layout_name(from) == "NZ" && layout_name(to) == "NZ";
        if (row.opcode != Opcode::kTINSERT || modes.insert_split > 3 || modes.insert_split < 2 ||
            !nz)
            return fail(problem, "P02", 0,
                        "only TINSERT of NZ tiles from UB into L1 is split, in 2 or 4 transfers");
    }
    if (modes.acc_to_vec == AccToVec::kSingle0) return true;
    const bool from_l1 = from.space == Space::kL1 && modes.acc_to_vec == AccToVec::kSingle1;
    if ((from.space != Space::kL0C && !from_l1) || to.space != Space::kUB)
        return fail(problem, "P02", 0,
                    "accToVecMode is for moves from L0C to UB; this one goes from " +
                        std::string(name(from.space)) + " to " + std::string(name(to.space)));
    if (modes.acc_to_vec == AccToVec::kSingle1) return true;
    return check_dual_move(instruction, row, problem);
}

}  // namespace

namespace {

bool boxes_exponents(const Instruction& instruction, const InstructionInfo& row) {
    return row.opcode == Opcode::kTMOV && instruction.operand_count > 4 &&
           instruction.operands[4].present();
}

// TMOV with scratch (hw-native-sys/pto-isa include/pto/npu/a5/TMov.hpp, CommonCheckZZ).
bool check_exponents(const Instruction& instruction, const InstructionInfo& row, Problem& problem) {
    const Tile& to = instruction.tile(0);
    const Tile& from = instruction.tile(1);
    const DTypeSet allowed{kU8, kHIF8, kE8M0};
    if (!allowed.contains(from.dtype))
        return fail(problem, "T03", 1,
                    operand_text(row, 1) + " is " + std::string(name(from.dtype)) +
                        "; TMOV with scratch takes " + to_text(allowed));
    for (unsigned i : {0u, 4u})
        if (instruction.tile(i).dtype != from.dtype)
            return fail(problem, "T01", static_cast<int>(i),
                        operand_text(row, i) + " is " +
                            std::string(name(instruction.tile(i).dtype)) + ", but " +
                            operand_text(row, 1) + " is " + std::string(name(from.dtype)));
    if (layout_name(from) != "ND" || layout_name(to) != "ZZ" || to.fractal != 32 ||
        to.space != Space::kUB)
        return fail(problem, "L03", 0,
                    "TMOV with scratch goes from ND to ZZ in boxes of 32 bytes within UB");
    const bool down = instruction.attributes.group_rows;
    const int64_t elements = int64_t{to.valid_rows} * to.valid_cols;
    const bool source = down ? int64_t{from.valid_rows} * from.valid_cols == elements
                             : static_cast<int64_t>(from.byte_size()) >= elements;
    const bool dense = !down || from.pitch == from.valid_cols;
    if (source && dense && to.valid_cols % 2 == 0 && (!down || to.valid_rows % 16 == 0))
        return true;
    return fail(problem, "S04", 0,
                operand_text(row, 0) + " has the valid region " + valid_text(to) + ", " +
                    operand_text(row, 1) + " " + valid_text(from) +
                    ": an even number of columns is filled from as many bytes, or (grpAxis axis0) "
                    "from whole rows of as many elements, a multiple of 16 long");
}

}  // namespace

bool move_types(const Instruction& instruction, const InstructionInfo& row, Arch arch,
                Problem& problem) {
    const Tile& to = instruction.tile(0);
    const Tile& from = instruction.tile(1);
    if (boxes_exponents(instruction, row)) return check_exponents(instruction, row, problem);
    const unsigned first = row.opcode == Opcode::kTMOV ? 2 : 4;  // fp, preQuantScalar
    const bool inserts = row.opcode == Opcode::kTINSERT;
    if (!check_scales(instruction, row, from, first, (inserts ? from : to).valid_cols, problem) ||
        !check_move_modes(instruction, row, problem))
        return false;
    if (from.space == Space::kL0C) {
        bool scaled = false;
        for (unsigned i = first; i < std::min<unsigned>(first + 2, instruction.operand_count); ++i)
            scaled = scaled || instruction.operands[i].present();
        return accumulator_types(from.dtype, to.dtype, scaled, to.space, arch, 0, problem);
    }
    if (from.dtype == to.dtype) return true;
    if (to.space == Space::kBias && to.dtype == kF32 &&
        (from.dtype == kF16 || (from.dtype == kBF16 && traits_of(arch).bias_of_bf16)))
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
    if (boxes_exponents(instruction, row)) return true;
    if (to.valid_rows <= from.rows && to.valid_cols <= from.cols) return true;
    return fail(problem, "S04", 0,
                operand_text(row, 0) + " has the valid region " + valid_text(to) +
                    ", which is more than the whole of " + operand_text(row, 1) + ", " +
                    shape_text(from.rows, from.cols));
}

// hw-native-sys/pto-isa docs/isa/TPRINT.md.
bool printable(const Instruction& instruction, const InstructionInfo& row, Arch arch,
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

}  // namespace ptosim::rules
