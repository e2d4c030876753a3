// Between on-chip memories and layouts.
#include <algorithm>
#include <cstring>

#include "isa/instructions/move_rules.h"
#include "isa/instructions/moved_boxes.h"
#include "isa/instructions/row.h"
#include "isa/semantics/fixpipe.h"
#include "isa/semantics/tile_regions.h"
#include "isa/semantics/transpose_blocks.h"
#include "isa/semantics/undefined_behaviour.h"
#include "isa/table/access.h"
#include "isa/table/remote_operands.h"

namespace ptosim::semantics {

namespace {

// The windows are made of whole boxes of 512 bytes in both tiles, 16-bit ones if they have to be
// turned.
bool made_of_boxes(const Tile& to, const Tile& from, int to_row, int to_col, int from_row,
                   int from_col, int rows, int cols) {
    if (!to.boxed() || !from.boxed() || bits(to.dtype) != bits(from.dtype) ||
        to.fractal != from.fractal)
        return false;
    if (to.inner != from.inner && (bits(to.dtype) != 16 || to.box_rows() != kTransposeSquare))
        return false;
    const int box_rows = to.box_rows(), box_cols = to.box_cols();
    return box_rows == from.box_rows() && box_cols == from.box_cols() &&
           (to_row | from_row | rows) % box_rows == 0 && (to_col | from_col | cols) % box_cols == 0;
}

void move_boxes(const Execution& e, int to_row, int to_col, int from_row, int from_col, int rows,
                int cols) {
    const Tile& to = e.tile(0);
    const Tile& from = e.tile(1);
    const int box_rows = to.box_rows(), box_cols = to.box_cols();
    const auto width = static_cast<int64_t>(bits(to.dtype));
    const auto bytes = static_cast<size_t>(box_rows * box_cols * width / 8);
    const bool turned = to.inner != from.inner;
    // An index is a part of the row and one of the column.
    const int64_t to_step = (to.index(0, box_cols) - to.index(0, 0)) * width / 8;
    const int64_t from_step = (from.index(0, box_cols) - from.index(0, 0)) * width / 8;
    for (int row = 0; row < rows; row += box_rows) {
        std::byte* target = e.bytes[0] + to.index(to_row + row, to_col) * width / 8;
        const std::byte* source = e.bytes[1] + from.index(from_row + row, from_col) * width / 8;
        for (int col = 0; col < cols; col += box_cols, target += to_step, source += from_step) {
            if (turned)
                transpose_square(source, 2 * kTransposeSquare, target, 2 * kTransposeSquare);
            else
                std::memmove(target, source, bytes);
        }
    }
}

// target window at (to_row, to_col) = source window at (from_row, from_col), rows x cols.
void move_window(const Execution& e, const MovedWindow& valid) {
    if (move_blocks_to_l1(e, valid)) return;
    const Tile& to = e.tile(0);
    const Tile& from = e.tile(1);
    const Attributes& modes = e.instruction.attributes;
    const auto [to_row, to_col, from_row, from_col, rows, cols] = moved_window(e, valid);
    // Out of L0C and into the bias table values are converted; elsewhere bits are copied.
    const bool converts = from.space == Space::kL0C || to.space == Space::kBias;
    if (!converts && modes.relu == ReluMode::kNone &&
        made_of_boxes(to, from, to_row, to_col, from_row, from_col, rows, cols))
        return move_boxes(e, to_row, to_col, from_row, from_col, rows, cols);
    const Grid& target = grid_of(0, to, to_row, to_col, rows, cols);
    const Grid& source = grid_of(1, from, from_row, from_col, rows, cols);
    Conversion conversion{from.dtype, to.dtype, modes.relu, AtomicMode::kNone,
                          hif8_rounding(e.numerics)};
    if (!converts) conversion.source_type = conversion.target_type;
    const unsigned first = e.instruction.opcode == Opcode::kTMOV ? 2 : 4;
    if (const auto scales = scales_of(e, first, from_col); scales && from.space == Space::kL0C)
        quantise_elements(conversion, *scales, e.bytes[0], target, e.bytes[1], source);
    else
        convert_elements(conversion, e.bytes[0], target, e.bytes[1], source);
}

int index_operand(const Execution& e, unsigned i) {
    if (i >= e.instruction.operand_count || !e.instruction.operands[i].is_scalar()) return 0;
    return static_cast<int>(integer_of(e.scalar(i)));
}

// Number of consecutive exponents that TMOV with scratch reads from its source, and the number of bytes from its
// address on that it has read or set to 0, if groups go along the rows (profile rule "exponents-end-in-zeros").
std::optional<ClearedTail> exponents_of(const Instruction& instruction) {
    if (instruction.operand_count < 5 || !instruction.operands[4].present()) return std::nullopt;
    const Tile& to = instruction.tile(0);
    const int64_t read = int64_t{to.valid_rows} * to.valid_cols;
    if (instruction.attributes.group_rows) return ClearedTail{read, read};
    const int64_t boxes = int64_t{to.valid_rows + 15} / 16 * 16 * to.valid_cols;
    const auto room = static_cast<int64_t>(instruction.tile(1).byte_size());
    return ClearedTail{read, std::max(read, std::min(boxes, room))};
}

// With scratch: exponents that are one after the other in UB, rows of dst, or (groups down the
// columns) its columns, into the order of the cube's scales; the last box is filled up with zeros,
// on a5 in the source, too (hw-native-sys/pto-isa include/pto/npu/a5/TMov.hpp, TMovNdTo2Zz and
// TMovDnTo2Zz).
void box_exponents(const Execution& e, const ClearedTail& exponents) {
    const Tile& to = e.tile(0);
    const bool down = e.instruction.attributes.group_rows;
    const int rows = to.valid_rows, cols = to.valid_cols;
    const int whole = down ? rows : std::min((rows + 15) / 16 * 16, to.rows);
    for (int row = 0; row < whole; ++row)
        for (int col = 0; col < cols; ++col) {
            const int64_t from = down ? int64_t{col} * rows + row : int64_t{row} * cols + col;
            write_lane(to, e.bytes[0], row, col, row < rows ? e.bytes[1][from] : std::byte{0});
        }
    if (is_a5(e.numerics))
        std::fill(e.bytes[1] + exponents.read, e.bytes[1] + exponents.filled, std::byte{0});
}

}  // namespace

// dst(i, j) = src(i, j) over the valid region of dst.
void TMOV(const Execution& e) {
    if (const auto exponents = exponents_of(e.instruction)) return box_exponents(e, *exponents);
    move_window(e, {.rows = e.tile(0).valid_rows, .cols = e.tile(0).valid_cols});
}

// dst(i, j) = src(index_row + i, index_col + j) over the valid region of dst.
void TEXTRACT(const Execution& e) {
    move_window(e, {.from_row = index_operand(e, 2),
                    .from_col = index_operand(e, 3),
                    .rows = e.tile(0).valid_rows,
                    .cols = e.tile(0).valid_cols});
}

// dst(index_row + i, index_col + j) = src(i, j) over the valid region of src.
void TINSERT(const Execution& e) {
    move_window(e, {.to_row = index_operand(e, 2),
                    .to_col = index_operand(e, 3),
                    .rows = e.tile(1).valid_rows,
                    .cols = e.tile(1).valid_cols});
}

// ---- functions that its rows name ------------------------------------------------------------

namespace {

// Operands 2 and 3 of a window: its first row and column.
int32_t index_of(const Instruction& instruction, unsigned operand) {
    if (operand >= instruction.operand_count || !instruction.operands[operand].is_scalar())
        return 0;
    const Scalar& index = instruction.operands[operand].scalar;
    const unsigned above = 64 - bits(index.dtype);  // indices fit into 32 bits: rule check_window
    return static_cast<int32_t>(index.bits << above >> above);
}

// Exact along the lines of NZ and ZN; boxes that it reaches into across them count whole.
TouchedTiles touched_window(const Instruction& instruction, unsigned operand, int32_t row,
                            int32_t col) {
    const Tile& whole = instruction.tile(operand);
    const Tile& part = instruction.tile(1 - operand);
    int32_t rows = part.valid_rows, cols = part.valid_cols;
    if (is_dual_move(instruction)) {  // each vector core has half of what leaves L0C
        int32_t& halved = instruction.attributes.acc_to_vec == AccToVec::kDualSplitM ? rows : cols;
        halved = operand == 0 ? halved / 2 : halved * 2;
    }
    const bool zn = whole.outer == OuterLayout::kRowMajor && whole.inner == InnerLayout::kColMajor;
    const int32_t into_row = is_nz(whole) ? 0 : row % whole.box_rows();
    const int32_t into_col = zn ? 0 : col % whole.box_cols();
    Tile tile = window(whole, row - into_row, col - into_col);
    tile.valid_rows = rows + into_row;
    tile.valid_cols = cols + into_col;
    return {{tile}, 1};
}

// TINSERT writes a window of its destination, and TEXTRACT reads one of its source. TMOV reads as much as its
// destination can hold, which may be less than the valid region. Exponents are moved one by one.
TouchedTiles touched_by_insertion(const Instruction& instruction, unsigned operand) {
    if (operand != 0) return {{instruction.tile(operand)}, 1};
    return touched_window(instruction, 0, index_of(instruction, 2), index_of(instruction, 3));
}
TouchedTiles touched_by_extraction(const Instruction& instruction, unsigned operand) {
    if (operand != 1) return {{instruction.tile(operand)}, 1};
    return touched_window(instruction, 1, index_of(instruction, 2), index_of(instruction, 3));
}
TouchedTiles touched_by_move(const Instruction& instruction, unsigned operand) {
    const Tile& tile = instruction.tile(operand);
    if (operand != 1) return {{tile}, 1};
    if (const auto exponents = exponents_of(instruction)) {
        Tile read = run_of(tile, static_cast<int32_t>(exponents->read));
        read.pitch = read.cols;
        return {{read}, 1};
    }
    if (is_dual_move(instruction)) return {{tile}, 1};
    return touched_window(instruction, 1, 0, 0);
}
bool reads_exponents(const Instruction& instruction, unsigned operand) {
    return operand == 1 && exponents_of(instruction).has_value();
}

bool boxes_down(const Instruction& instruction, Arch) { return instruction.attributes.group_rows; }

// With exponents in rows: the places of 16 rows of a box, and one of 16 bits for each row of a box of the result, before
// and after which 32 bytes are written (hw-native-sys/pto-isa include/pto/npu/a5/TMov.hpp, TMovNdTo2Zz).
uint64_t scratch_of_exponents(const Instruction& instruction) {
    if (instruction.attributes.group_rows) return 0;
    const Tile& to = instruction.tile(0);
    return 64 + static_cast<uint64_t>(ceil_div(to.valid_rows, 16)) * static_cast<uint64_t>(to.valid_cols);
}

// Columns of blocks; each is as long as the declared rows (hw-native-sys/pto-isa include/pto/npu/a5/TInsert.hpp,
// TInsertVecToMatImpl).
constexpr std::array kInsertionOverrides{
    LayoutOverride{&ArchTraits::reaches_other_cores, Space::kUB, "NZ", Space::kL1, "ZZ", "NZ"},
    LayoutOverride{&ArchTraits::reaches_other_cores, Space::kUB, "NZ", Space::kL1, "ZN", "NZ"},
};

}  // namespace

}  // namespace ptosim::semantics

namespace ptosim::rows {
#include "isa/instructions/move.def"
}  // namespace ptosim::rows
