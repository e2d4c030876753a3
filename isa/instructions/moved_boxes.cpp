#include "isa/instructions/moved_boxes.h"

#include <algorithm>
#include <cstring>

#include "isa/numeric/round_up.h"
#include "isa/semantics/tile_regions.h"

namespace ptosim::semantics {

namespace {

constexpr int32_t kBlockBytes = 32, kFractalBytes = 512, kBoxLines = 16;

int32_t elements_of(const Tile& tile, int32_t bytes) { return bytes * 8 / static_cast<int32_t>(bits(tile.dtype)); }

bool is_compact(const Tile& tile) {
    return tile.compact == Compact::kNormal || tile.compact == Compact::kRowAlignedPadding;
}

bool into_factor(const Tile& to) {
    return to.space == Space::kL0A || to.space == Space::kL0B || to.space == Space::kScaleA ||
           to.space == Space::kScaleB;
}

// Factors and their scales: the declared shape; boxes of the valid region if the tile is compact, or if bytes are
// turned. A single row goes in fractals.
void widen_to_factor(const Tile& to, const Tile& from, MovedWindow& moved) {
    const bool scales = to.space == Space::kScaleA || to.space == Space::kScaleB;
    if (from.rows == 1 && (scales || !from.boxed())) {
        moved.cols = round_up(moved.cols, elements_of(to, scales ? kBlockBytes : kFractalBytes));
        return;
    }
    const bool turned = !scales && to.inner != from.inner;
    if (!is_compact(to) && !(turned && bits(to.dtype) <= 8)) {
        moved.rows = std::max(moved.rows, to.rows);
        moved.cols = std::max(moved.cols, to.cols);
        return;
    }
    int32_t row_unit = to.box_rows(), col_unit = to.box_cols();
    if (turned) row_unit = col_unit = std::max(row_unit, col_unit);
    if (to.compact == Compact::kRowAlignedPadding) col_unit = std::max(col_unit, kBoxLines);
    moved.rows = round_up(moved.rows, row_unit);
    moved.cols = round_up(moved.cols, col_unit);
}

// Out of L0C into boxes: all rows of the accumulator (TEXTRACT: the valid ones), columns in blocks, as TEXTRACT has them in
// rows of UB, too. A table of scales limits the columns.
void widen_from_accumulator(const Execution& e, const Tile& to, const Tile& from, MovedWindow& moved) {
    const bool extracts = e.instruction.opcode == Opcode::kTEXTRACT;
    if (e.instruction.attributes.acc_to_vec >= AccToVec::kDualSplitM) return;
    if (!to.boxed() && !(extracts && to.space == Space::kUB)) return;
    if (!extracts) moved.rows = std::max(moved.rows, from.rows);
    const bool wide = bits(to.dtype) == 32 && to.fractal != kFractalBytes;
    moved.cols = round_up(moved.cols, wide ? kBoxLines : elements_of(to, kBlockBytes));
    const unsigned table = e.instruction.opcode == Opcode::kTMOV ? 2 : 4;
    if (table < e.instruction.operand_count && e.instruction.operands[table].is_tile())
        moved.cols = std::min(moved.cols, e.tile(table).cols - moved.from_col);
}

// Copies `count` runs of `length` bytes as far as both tiles have them.
void copy_runs(const Execution& e, int64_t to, int64_t from, int64_t count, int64_t length, int64_t to_step,
               int64_t from_step) {
    const auto to_end = static_cast<int64_t>(e.tile(0).byte_size());
    const auto from_end = static_cast<int64_t>(e.tile(1).byte_size());
    for (; count > 0; --count, to += to_step, from += from_step) {
        const int64_t room = std::min({length, to_end - to, from_end - from});
        if (room > 0) std::memmove(e.bytes[0] + to, e.bytes[1] + from, static_cast<size_t>(room));
    }
}

int64_t whole_blocks(int64_t bytes) { return bytes / kBlockBytes * kBlockBytes; }

// Rows without boxes. TEXTRACT and TMOV take all of them as one run; TINSERT does so if both tiles have no other columns
// or a row is shorter than a block, and otherwise moves the whole blocks of each row.
void move_rows(const Execution& e, const MovedWindow& valid) {
    const Tile &to = e.tile(0), &from = e.tile(1);
    const auto size = static_cast<int64_t>(bits(to.dtype));
    const auto in_bytes = [&](int64_t elements) { return elements * size / 8; };
    const int64_t all = in_bytes(int64_t{valid.rows} * valid.cols), row = in_bytes(valid.cols);
    if (e.instruction.opcode != Opcode::kTINSERT) {
        const int64_t first = in_bytes(int64_t{valid.from_row} * from.valid_cols + valid.from_col);
        return copy_runs(e, 0, first, 1, whole_blocks(all), 0, 0);
    }
    const int64_t first = in_bytes(int64_t{valid.to_row} * to.pitch + valid.to_col);
    if (valid.cols == from.pitch && valid.cols == to.pitch && all >= kBlockBytes)
        return copy_runs(e, first, 0, 1, whole_blocks(all), 0, 0);
    if (row < kBlockBytes) return copy_runs(e, first, 0, 1, round_up<int64_t>(all, kBlockBytes), 0, 0);
    const int64_t run = whole_blocks(row);
    copy_runs(e, first, 0, valid.rows, run, run + whole_blocks(in_bytes(to.pitch) - row),
              run + whole_blocks(in_bytes(from.pitch) - row));
}

// Columns of blocks (NZ). TINSERT moves the valid rows of each, in parts (SPLIT2, SPLIT4) its whole boxes; TEXTRACT and
// TMOV move whole boxes to a target without a gap, and step through the source as far as the declared rows differ.
void move_columns(const Execution& e, const MovedWindow& valid) {
    const Tile &to = e.tile(0), &from = e.tile(1);
    const int64_t columns = ceil_div(valid.cols, elements_of(to, kBlockBytes));
    const auto block = [&](const Tile& tile, int32_t row, int32_t col) {
        return static_cast<int64_t>(tile.index(row, col)) * static_cast<int64_t>(bits(tile.dtype)) / 8;
    };
    const int64_t source = block(from, valid.from_row, valid.from_col), target = block(to, valid.to_row, valid.to_col);
    const int64_t boxes = round_up(valid.rows, kBoxLines);
    if (e.instruction.opcode == Opcode::kTINSERT) {
        const int64_t rows = e.instruction.attributes.insert_split != 0 ? boxes : valid.rows;
        return copy_runs(e, target, source, columns, rows * kBlockBytes, int64_t{to.pitch} * kBlockBytes,
                         int64_t{from.pitch} * kBlockBytes);
    }
    copy_runs(e, target, source, columns, boxes * kBlockBytes, boxes * kBlockBytes,
              (boxes + from.pitch - to.rows) * kBlockBytes);
}

}  // namespace

MovedWindow moved_window(const Execution& e, MovedWindow valid) {
    const Tile &to = e.tile(0), &from = e.tile(1);
    MovedWindow moved = valid;
    if (from.space == Space::kL1 && into_factor(to))
        widen_to_factor(to, from, moved);
    else if (from.space == Space::kL0C)
        widen_from_accumulator(e, to, from, moved);
    else
        return valid;
    // A packed line of boxes ends with the box of the last valid row or column.
    const auto most = [](int32_t wanted, int32_t valid_extent, int32_t to_extent, int32_t from_extent) {
        return std::max(valid_extent, std::min({wanted, to_extent, from_extent}));
    };
    moved.rows = most(moved.rows, valid.rows, to.rows - valid.to_row, from.rows - valid.from_row);
    moved.cols = most(moved.cols, valid.cols, to.cols - valid.to_col, from.cols - valid.from_col);
    return moved;
}

bool move_blocks_to_l1(const Execution& e, const MovedWindow& valid) {
    const Tile &to = e.tile(0), &from = e.tile(1);
    if (from.space != Space::kUB || to.space != Space::kL1) return false;
    if (!from.boxed() && from.outer == OuterLayout::kRowMajor && !to.boxed())
        move_rows(e, valid);
    else if (is_nz(from) && is_nz(to))
        move_columns(e, valid);
    else
        return false;
    return true;
}

}  // namespace ptosim::semantics
