// Legality rules of moves between on-chip memories, and the assembler's requirements on them.
#include "isa/instructions/move_rules.h"

#include <algorithm>

#include "isa/core/arch.h"
#include "isa/instructions/assembler_rules.h"
#include "isa/legality/legality.h"
#include "isa/table/remote_operands.h"

namespace ptosim::rules {

using enum DType;

namespace {

std::string path_text(const Tile& from, const Tile& to) {
    return std::string(name(from.space)) + " " + std::string(layout_name(from)) + " to " +
           std::string(name(to.space)) + " " + std::string(layout_name(to));
}

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
    // One row of NZ lies in memory as one of ND.
    {true, false, false, Space::kL1, "NZ", Space::kBias, "ND", nullptr, true},
    {true, false, false, Space::kL1, "NZ", Space::kFixpipe, "ND", nullptr, true},
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

bool check_move_paths(const Instruction& instruction, const InstructionInfo& row, Arch arch,
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

}  // namespace

const LegalityRule move_paths{
    "move_paths", "L01 L03",
    "the move exists between the two memories and layouts (a5: TINSERT from UB takes a target "
    "in L1 that is declared ZZ or ZN for NZ with its sides exchanged)",
    &check_move_paths};

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
                    "relu is only supported for moves out of L0C, but " + operand_text(row, 1) +
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

bool check_move_types(const Instruction& instruction, const InstructionInfo& row, Arch arch,
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
    // Within UB bits are copied (hw-native-sys/pto-isa include/pto/npu/a2a3/TMov.hpp,
    // TMovToVecImpl; a5/TMov.hpp, TMovVecToVec).
    if (row.opcode == Opcode::kTMOV && to.space == Space::kUB && from.space == Space::kUB &&
        bits(to.dtype) >= 8 && bits(to.dtype) == bits(from.dtype))
        return true;
    if (to.space == Space::kBias && to.dtype == kF32 &&
        (from.dtype == kF16 || (from.dtype == kBF16 && traits_of(arch).bias_of_bf16)))
        return true;
    return fail(problem, "T01", 0,
                operand_text(row, 0) + " is " + std::string(name(to.dtype)) + ", but " +
                    operand_text(row, 1) + " is " + std::string(name(from.dtype)) +
                    ": this move does not convert");
}

}  // namespace

const LegalityRule move_types{
    "move_types", "T01 T04 P02 T00 T03 T12 S04 L03",
    "types are equal (TMOV within UB: of one size), or the fixpipe makes the one of the other; "
    "relu, scales and split modes only out of L0C",
    &check_move_types};

namespace {

bool check_move_shapes(const Instruction& instruction, const InstructionInfo& row, Arch,
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

}  // namespace

const LegalityRule move_shapes{"move_shapes", "S04", "src has the valid region of dst",
                               &check_move_shapes};

namespace {

// The window [row0, row0 + part.valid_rows) x ... of `whole`, at indices that are operands 2, 3.
bool check_window(const Instruction& instruction, const InstructionInfo& row, unsigned whole,
                  unsigned part, Problem& problem) {
    const Tile& parent = instruction.tile(whole);
    const Tile& window = instruction.tile(part);
    int64_t first[2] = {0, 0};
    for (unsigned i = 0; i < 2; ++i) {
        const Scalar& index = instruction.operands[2 + i].scalar;
        if (!is_integer(index.dtype))
            return fail(problem, "T02", static_cast<int>(2 + i),
                        operand_text(row, 2 + i) + " is " + std::string(name(index.dtype)) +
                            "; an index is an integer");
        const unsigned shift = 64 - bits(index.dtype);
        const uint64_t top = index.bits << shift;
        first[i] = is_signed(index.dtype) ? static_cast<int64_t>(top) >> shift
                                          : static_cast<int64_t>(top >> shift);
    }
    int32_t rows = window.valid_rows, cols = window.valid_cols;
    const AccToVec mode = instruction.attributes.acc_to_vec;
    if (mode >= AccToVec::kDualSplitM) {  // each vector core has half of what leaves L0C
        int32_t& extent = mode == AccToVec::kDualSplitM ? rows : cols;
        extent = whole == 1 ? extent * 2 : extent / 2;
    }
    if (first[0] >= 0 && first[1] >= 0 && first[0] <= parent.rows - rows &&
        first[1] <= parent.cols - cols)
        return true;
    return fail(problem, "S11", 2,
                "the window of " + shape_text(rows, cols) + " at (" + std::to_string(first[0]) +
                    ", " + std::to_string(first[1]) + ") leaves " + operand_text(row, whole) +
                    ", which is " + shape_text(parent.rows, parent.cols));
}

bool check_extract_window(const Instruction& instruction, const InstructionInfo& row, Arch,
                          Problem& problem) {
    return check_window(instruction, row, 1, 0, problem);
}

}  // namespace

const LegalityRule extract_window{"extract_window", "S11 T02",
                                  "the window of dst's valid region lies within src",
                                  &check_extract_window};

namespace {

// Columns after the last one of NZ are boxes after the tile: the device stores them without notice (pto-isa's
// TInsertVecToMatImpl asserts rows alone).
bool check_insert_window(const Instruction& instruction, const InstructionInfo& row, Arch,
                         Problem& problem) {
    if (check_window(instruction, row, 0, 1, problem)) return true;
    const Tile& to = instruction.tile(0);
    const Tile& from = instruction.tile(1);
    const uint64_t row_index = instruction.operands[2].scalar.bits, col_index = instruction.operands[3].scalar.bits;
    const bool to_nz = to.space == Space::kL1 && to.outer == OuterLayout::kColMajor &&
                       to.inner == InnerLayout::kRowMajor && from.space == Space::kUB;
    const bool rows_fit =
        from.valid_rows <= to.rows && row_index <= static_cast<uint64_t>(to.rows - from.valid_rows);
    if (problem.code == "S11" && to_nz && rows_fit && col_index <= static_cast<uint64_t>(to.cols)) {
        problem.goes_on = true;
        problem.message += ": what lies after it is overwritten";
    }
    return false;
}

}  // namespace

const LegalityRule insert_window{"insert_window", "S11 T02",
                                 "the window of src's valid region lies within dst (from UB to NZ in L1 a run goes on "
                                 "with a warning if it has columns after dst)",
                                 &check_insert_window};

namespace {

// True if runs of whole blocks are the rows of the window (isa/instructions/moved_boxes.cpp, move_rows).
bool runs_are_rows(const Instruction& instruction, const Tile& part) {
    const Tile &to = instruction.tile(0), &from = instruction.tile(1);
    const auto is_whole = [&](int64_t elements) { return bytes(part.dtype, static_cast<size_t>(elements)) % 32 == 0; };
    const bool no_gap = part.valid_cols == from.pitch && part.valid_cols == to.pitch;
    if (instruction.opcode == Opcode::kTINSERT)
        return is_whole(part.valid_cols) || (no_gap && is_whole(int64_t{part.valid_rows} * part.valid_cols));
    const bool begins_there = instruction.opcode == Opcode::kTMOV || instruction.operands[2].scalar.bits == 0 ||
                              from.valid_cols == from.pitch;
    return begins_there && (part.valid_rows == 1 || no_gap) && is_whole(int64_t{part.valid_rows} * part.valid_cols);
}

bool check_moves_in_blocks(const Instruction& instruction, const InstructionInfo& row, Arch arch, Problem& problem) {
    const Tile &to = instruction.tile(0), &from = instruction.tile(1);
    if (from.space != Space::kUB || to.space != Space::kL1 || from.boxed() || to.boxed()) return true;
    const unsigned at = row.opcode == Opcode::kTINSERT ? 1 : 0;
    const Tile& part = instruction.tile(at);
    if (runs_are_rows(instruction, part)) return true;
    problem.goes_on = true;
    return fail(problem, "L04", static_cast<int>(at),
                operand_text(row, at) + " has " + valid_text(part) + " valid elements: " + std::string(row.name) +
                    " from UB to L1 on " + std::string(name(arch)) +
                    " copies runs of whole blocks of 32 bytes, which are other elements than these",
                "move rows of whole blocks between tiles without unused columns");
}

}  // namespace

const LegalityRule moves_in_blocks{"moves_in_blocks", "L04",
                                   "from UB to L1 (a5) whole blocks of 32 bytes move, without boxes in one run or row by "
                                   "row (a run goes on with a warning)",
                                   &check_moves_in_blocks};

}  // namespace ptosim::rules

namespace ptosim::rows {

namespace {

// Exponents of groups into row-major boxes in row-major order (ZZ): a move with a third tile other than a table of
// scales.
void exponents_form(const WrittenOperation& op, const Tile& tmp) {
    op.require(op.arch.block_scales, "P01", "to ZZ exists on a5 only");
    op.require(!op.has_results(), "K06", "to ZZ has no results");
    op.require(!op.given("preQuantScalar") && !op.has_attribute("accToVecMode") &&
                   op.instruction.attributes.relu == ReluMode::kNone,
               "K09", "to ZZ has no preQuantScalar, accToVecMode or reluPreMode");
    const Tile *src = op.tile("src"), *dst = op.tile("dst");
    if (src == nullptr || dst == nullptr) return;
    for (const Tile* tile : {src, dst, &tmp})
        op.require(tile->space == Space::kUB, "L01", "to ZZ takes tiles in vec");
    op.require(!op.same_value("src", "dst") && !op.same_value("src", "tmp") &&
                   !op.same_value("dst", "tmp"),
               "A07", "to ZZ takes three different tiles");
    for (const char* name : {"src", "dst"})
        op.require(op.is_static(name), "S09",
                   "to ZZ needs the shape of '" + std::string(name) + "'");
    op.require(src->dtype == dst->dtype && src->dtype == tmp.dtype, "T01",
               "to ZZ takes tiles of one element type");
    op.require(src->dtype == DType::kU8 || src->dtype == DType::kHIF8 || src->dtype == DType::kE8M0,
               "T03",
               "to ZZ takes elements of u8, hif8 or e8m0, not " + std::string(name(src->dtype)));
    op.require(is_row_major(*src), "L02", "to ZZ takes a row-major src without boxes");
    op.require(dst->outer == OuterLayout::kRowMajor && dst->inner == InnerLayout::kRowMajor, "L02",
               "to ZZ makes row-major boxes in row-major order");
    op.require(valid_elements(*src) == valid_elements(*dst), "S09",
               "to ZZ keeps the number of elements");
    if (op.instruction.attributes.group_rows) {
        op.require(src->valid_rows >= 2 && src->valid_rows % 2 == 0, "S09",
                   "to ZZ along axis0 takes an even number of valid rows");
        op.require(src->valid_cols % 16 == 0, "S09",
                   "to ZZ along axis0 takes a multiple of 16 valid columns");
        op.require(src->cols == src->valid_cols, "S09",
                   "to ZZ along axis0 takes a src without unused columns");
        return;
    }
    op.require(dst->valid_cols % 2 == 0, "S09", "to ZZ makes an even number of valid columns");
    op.require(src->valid_rows == 1 || src->cols == src->valid_cols, "S09",
               "to ZZ takes a src whose valid elements follow each other");
    const int64_t needed = round_up(dst->valid_rows, 16) * dst->valid_cols;
    op.require(packed_bytes(*src) >= needed && packed_bytes(*dst) >= needed, "S09",
               "to ZZ needs " + std::to_string(needed) +
                   " bytes in src and dst, the rows rounded up to whole boxes");
    const int64_t scratch = 64 + ceil_div(dst->valid_rows, 16) * dst->valid_cols;
    op.require(packed_bytes(tmp) >= scratch, "S16",
               "to ZZ needs " + std::to_string(scratch) + " bytes of tmp");
}

}  // namespace

namespace {

std::string space_text(const Tile& tile) { return std::string(name(tile.space)); }

bool is_nd(const Tile& tile) { return tile.outer == OuterLayout::kRowMajor && !tile.boxed(); }

// Between which memories tiles are moved whole.
bool is_move_path(Space from, Space to, bool a5) {
    if (from == Space::kL1)
        return to == Space::kL0A || to == Space::kL0B || to == Space::kBias ||
               to == Space::kFixpipe || to == Space::kScaleA || to == Space::kScaleB;
    if (from == Space::kUB) return to == Space::kUB || (a5 && to == Space::kL1);
    return from == Space::kL0C && (to == Space::kL1 || to == Space::kUB);
}

void require_acc_to_vec(const WrittenOperation& op, const Tile& src, const Tile& dst) {
    const bool out_to_vec = src.space == Space::kL0C && dst.space == Space::kUB;
    op.require(!op.has_attribute("accToVecMode") || (op.for_a5() && out_to_vec), "K09",
               "has accToVecMode only out of acc into vec, on a5");
}

// A window of `inner` in `outer`, whose place is known if it is constant.
void require_inside(const WrittenOperation& op, std::string_view index, int64_t inner,
                    int64_t outer) {
    const std::optional<int64_t> first = op.constant(index);
    op.require(!first || *first >= 0, "S11", "takes no negative '" + std::string(index) + "'");
    op.require(!first || inner < 0 || *first + inner <= outer, "S11",
               "takes a window within " + std::to_string(outer) + ", not one of " +
                   std::to_string(inner) + " at " + std::to_string(first.value_or(0)));
}

}  // namespace

void move_form(const WrittenOperation& op) {
    if (const Tile* tmp = op.tile("tmp")) return exponents_form(op, *tmp);
    op.require(!op.has_attribute("grpAxis"), "K09", "has grpAxis only with a scratch tile, to ZZ");
    const Tile *src = op.tile("src"), *dst = op.tile("dst");
    if (src == nullptr || dst == nullptr) return;
    if (src->space == Space::kL1 || !op.for_a5()) require_same_shape(op, "src", "dst");
    op.require(is_move_path(src->space, dst->space, op.for_a5()), "L01",
               "does not go from " + space_text(*src) + " to " + space_text(*dst) + " on " +
                   (op.for_a5() ? "a5" : "a2a3"));
    require_acc_to_vec(op, *src, *dst);
}

void extract_form(const WrittenOperation& op) {
    const Tile *src = op.tile("src"), *dst = op.tile("dst");
    if (src == nullptr || dst == nullptr) return;
    require_inside(op, "indexRow", dst->rows, src->rows);
    require_inside(op, "indexCol", dst->cols, src->cols);
    const DTypeSet taken =
        op.for_a5() ? DTypeSet{DType::kE4M3, DType::kE5M2, DType::kHIF8} : DTypeSet{};
    const DTypeSet types =
        taken | DTypeSet{DType::kI8, DType::kU8, DType::kF16, DType::kBF16, DType::kF32};
    const bool wide = !op.for_a5() && op.given("fp") && bits(dst->dtype) == 16;
    const bool as_it_is = op.for_a5() && src->space == Space::kL0C && dst->dtype == DType::kI32;
    op.require(types.contains(dst->dtype) || wide || as_it_is, "T03",
               "makes windows of " + to_text(types) + ", not " + std::string(name(dst->dtype)));
    require_acc_to_vec(op, *src, *dst);
    const bool accumulator = src->space == Space::kL0C;
    if (!op.for_a5() && accumulator) {
        op.require(dst->space == Space::kL1, "L01", "goes out of acc into mat only, on a2a3");
        const bool narrowed =
            src->dtype == DType::kF32 && (dst->dtype == DType::kF16 || dst->dtype == DType::kBF16);
        op.require(narrowed || op.given("fp") || op.given("preQuantScalar"), "T04",
                   "makes f16 or bf16 of f32 without a scale on a2a3");
    }
    op.require(!op.for_a5() || dst->space != Space::kUB || is_nd(*dst), "L02",
               "goes into vec in ND on a5");
    op.require(!op.for_a5() || src->space != Space::kUB || dst->space != Space::kUB || is_nd(*src),
               "L02", "takes windows of vec in ND on a5");
}

void insert_form(const WrittenOperation& op) {
    const Tile *src = op.tile("src"), *dst = op.tile("dst");
    if (src == nullptr || dst == nullptr) return;
    const Tile written = op.type("src").tile;
    require_inside(op, "indexRow", written.valid_rows, dst->rows);
    require_inside(op, "indexCol", written.valid_cols, dst->cols);
    require_acc_to_vec(op, *src, *dst);
}

}  // namespace ptosim::rows
