#include "isa/semantics/grid.h"

#include <algorithm>
#include <array>
#include <cstring>

#include "isa/numeric/wide.h"
#include "isa/semantics/lanes.h"
#include "isa/semantics/transpose_blocks.h"

namespace ptosim::semantics {

namespace {

// Positions of consecutive elements along one dimension of a matrix, as an odometer of at most four wheels, the fastest
// first; the last one never wraps.
struct Wheel {
    int64_t extent;
    int64_t stride;
};
constexpr int64_t kEndless = INT64_MAX;

template <size_t kWheels>
void turn(const std::array<Wheel, kWheels>& wheels, int64_t first, int count,
          std::vector<int64_t>& positions) {
    positions.resize(static_cast<size_t>(count));
    if (count == 0) return;  // a wheel may have nothing on it
    std::array<int64_t, kWheels> at{};
    int64_t position = 0;
    for (size_t i = 0; i < kWheels; ++i) {
        at[i] = first % wheels[i].extent;
        first /= wheels[i].extent;
        position += at[i] * wheels[i].stride;
    }
    int64_t* out = positions.data();
    int64_t* const end = out + count;
    while (out < end) {
        // Runs to the end of the fastest wheel, then takes one step of the next.
        const auto left = static_cast<int>(std::min<int64_t>(wheels[0].extent - at[0], end - out));
        for (int i = 0; i < left; ++i) out[i] = position + i * wheels[0].stride;
        out += left;
        position += left * wheels[0].stride;
        at[0] += left;
        for (size_t i = 0; i + 1 < kWheels && at[i] == wheels[i].extent; ++i) {
            position += wheels[i + 1].stride - wheels[i].extent * wheels[i].stride;
            at[i] = 0;
            ++at[i + 1];
        }
    }
}

}  // namespace

// In every layout a tile's index is made of whole boxes and a rest along each dimension.
void Grid::assign(const Tile& tile, int row0, int col0, int rows, int cols) {
    const int32_t box_rows = tile.box_rows(), box_cols = tile.box_cols();
    turn<2>(
        {{{box_rows, box_rows > 1 ? tile.index(1, 0) : 0}, {kEndless, tile.index(box_rows, 0)}}},
        row0, rows, row);
    turn<2>(
        {{{box_cols, box_cols > 1 ? tile.index(0, 1) : 0}, {kEndless, tile.index(0, box_cols)}}},
        col0, cols, col);
}

// Like GlobalView::matrix_offset().
void Grid::assign(const GlobalView& view, int rows, int cols) {
    const auto wheel = [&](unsigned i) { return Wheel{view.shape[i], view.stride[i]}; };
    const auto endless = [&](unsigned i) { return Wheel{kEndless, view.stride[i]}; };
    switch (view.layout) {
        case GlobalLayout::kND:
            turn<4>({wheel(3), wheel(2), wheel(1), endless(0)}, 0, rows, row);
            turn<1>({endless(4)}, 0, cols, col);
            return;
        case GlobalLayout::kDN:
            turn<1>({endless(3)}, 0, rows, row);
            turn<4>({wheel(4), wheel(2), wheel(1), endless(0)}, 0, cols, col);
            return;
        case GlobalLayout::kNZ:
            turn<2>({wheel(3), endless(2)}, 0, rows, row);
            turn<3>({wheel(4), wheel(1), endless(0)}, 0, cols, col);
            return;
        default:
            row.resize(static_cast<size_t>(rows));
            col.resize(static_cast<size_t>(cols));
            for (int i = 0; i < rows; ++i) row[static_cast<size_t>(i)] = view.matrix_offset(i, 0);
            for (int i = 0; i < cols; ++i) col[static_cast<size_t>(i)] = view.matrix_offset(0, i);
            return;
    }
}

Grid& scratch_grid(unsigned slot) {
    thread_local std::array<Grid, 4> grids;
    return grids[slot];
}

namespace {

// Runs of positions that are contiguous in both tables, if copying by runs is worthwhile.
constexpr size_t kWorthwhile = 4;  // elements per run
struct Run {
    size_t begin;
    size_t count;
};

const std::vector<Run>& common_runs(const std::vector<int64_t>& to,
                                    const std::vector<int64_t>& from) {
    thread_local std::vector<Run> runs;
    thread_local std::vector<uint8_t> begins;  // whether a run begins there
    runs.clear();
    const size_t count = to.size();
    if (count == 0) return runs;
    begins.resize(count + 1);
    uint8_t* const mark = begins.data();
    const int64_t *const a = to.data(), *const b = from.data();
    mark[0] = mark[count] = 1;
    widest([=] {
        for (size_t i = 1; i < count; ++i)
            mark[i] = (a[i] - a[i - 1] != 1) | (b[i] - b[i - 1] != 1);
    });
    if (count < kWorthwhile * static_cast<size_t>(std::count(mark, mark + count, uint8_t{1})))
        return runs;
    for (size_t i = 0; i < count;) {
        const void* const end = std::memchr(mark + i + 1, 1, count - i);
        const auto next = static_cast<size_t>(static_cast<const uint8_t*>(end) - mark);
        runs.push_back({i, next - i});
        i = next;
    }
    return runs;
}

// `along` is the dimension that the runs are in.
void copy_runs(const std::vector<Run>& runs, int64_t size, std::byte* target,
               const std::vector<int64_t>& to_across, const std::vector<int64_t>& to_along,
               const std::byte* source, const std::vector<int64_t>& from_across,
               const std::vector<int64_t>& from_along) {
    for (size_t i = 0; i < to_across.size(); ++i)
        for (const Run& run : runs)
            std::memmove(target + (to_across[i] + to_along[run.begin]) * size,
                         source + (from_across[i] + from_along[run.begin]) * size,
                         run.count * static_cast<size_t>(size));
}

// The same for runs of kBytes each: a few lines at a time and all their runs, so that both sides are traversed in whole
// cache lines. The following lines are prefetched, because in global memory each lies in another page, which the host
// does not predict.
constexpr size_t kTogether = 4, kAhead = 8;
template <size_t kBytes>
void copy_short_runs(const std::vector<Run>& runs, int64_t size, std::byte* target,
                     const std::vector<int64_t>& to_across, const std::vector<int64_t>& to_along,
                     const std::byte* source, const std::vector<int64_t>& from_across,
                     const std::vector<int64_t>& from_along) {
    const size_t lines = to_across.size(), count = runs.size();
    const int64_t* const to_line = to_across.data();
    const int64_t* const from_line = from_across.data();
    thread_local std::vector<std::array<int64_t, 2>> offsets;  // of runs: to, from
    offsets.clear();
    for (const Run& run : runs)
        offsets.push_back({to_along[run.begin] * size, from_along[run.begin] * size});
    const std::array<int64_t, 2>* const offset = offsets.data();
    widest([=] {
        constexpr size_t kPerLine = std::max<size_t>(1, 64 / kBytes);  // runs in a cache line
        for (size_t i = 0; i < lines; i += kTogether) {
            std::byte* to[kTogether];
            const std::byte *from[kTogether], *next[kTogether];
            for (size_t k = 0; k < kTogether; ++k) {  // a last line is copied again to fill up
                const size_t line = i + k < lines ? i + k : lines - 1;
                const size_t later = line + kAhead < lines ? line + kAhead : line;
                to[k] = target + to_line[line] * size;
                from[k] = source + from_line[line] * size;
                next[k] = source + from_line[later] * size;
            }
            for (size_t r = 0; r < count; ++r) {
                std::byte bytes[kTogether][kBytes];
                for (size_t k = 0; k < kTogether; ++k)
                    std::memcpy(bytes[k], from[k] + offset[r][1], kBytes);
                if (r % kPerLine == 0)
                    for (size_t k = 0; k < kTogether; ++k)
                        __builtin_prefetch(next[k] + offset[r][1]);
                for (size_t k = 0; k < kTogether; ++k)
                    std::memcpy(to[k] + offset[r][0], bytes[k], kBytes);
            }
        }
    });
}

// Copies together the lines of runs that are contiguous on both sides, such as the lines of a box. Returns false if
// there are too few.
bool copy_boxes(const std::vector<Run>& runs, size_t length, int64_t size, std::byte* target,
                const std::vector<int64_t>& to_across, const std::vector<int64_t>& to_along,
                const std::byte* source, const std::vector<int64_t>& from_across,
                const std::vector<int64_t>& from_along) {
    const auto step = static_cast<int64_t>(length);
    const size_t lines = to_across.size();
    thread_local std::vector<Run> boxes;  // of lines
    boxes.clear();
    for (size_t i = 0; i < lines; ++i) {
        const bool goes_on = i > 0 && to_across[i] - to_across[i - 1] == step &&
                             from_across[i] - from_across[i - 1] == step;
        if (goes_on)
            ++boxes.back().count;
        else
            boxes.push_back({i, 1});
    }
    if (lines < kWorthwhile * boxes.size()) return false;
    for (const Run& box : boxes)
        for (const Run& run : runs)
            std::memmove(target + (to_across[box.begin] + to_along[run.begin]) * size,
                         source + (from_across[box.begin] + from_along[run.begin]) * size,
                         box.count * length * static_cast<size_t>(size));
    return true;
}

// The common length of all runs, or 0 if they differ.
size_t common_length(const std::vector<Run>& runs) {
    for (const Run& run : runs)
        if (run.count != runs.front().count) return 0;
    return runs.empty() ? 0 : runs.front().count;
}

template <typename... Arguments>
void copy_runs_of_any_length(const std::vector<Run>& runs, int64_t size, Arguments&&... rest) {
    const size_t length = common_length(runs);
    if (length > 0 && copy_boxes(runs, length, size, rest...)) return;
    switch (length * static_cast<size_t>(size)) {
        case 16:
            return copy_short_runs<16>(runs, size, rest...);
        case 32:
            return copy_short_runs<32>(runs, size, rest...);
        case 64:
            return copy_short_runs<64>(runs, size, rest...);
        default:
            return copy_runs(runs, size, rest...);
    }
}

// ---- rows that become columns

// Number of positions from `at` on that follow one another.
size_t run_from(const std::vector<int64_t>& positions, size_t at, size_t most) {
    size_t count = 1;
    while (count < most && at + count < positions.size() &&
           positions[at + count] == positions[at] + static_cast<int64_t>(count))
        ++count;
    return count;
}

// True if `count` positions from `at` on are equally far from one another.
bool even(const std::vector<int64_t>& positions, size_t at, size_t count) {
    for (size_t i = 2; i < count; ++i)
        if (positions[at + i] - positions[at + i - 1] != positions[at + 1] - positions[at])
            return false;
    return true;
}

template <typename T>
void copy_each(std::byte* target, const Grid& to, const std::byte* source, const Grid& from,
               size_t row, size_t rows, size_t col, size_t cols) {
    constexpr int64_t kSize = sizeof(T);
    for (size_t i = row; i < row + rows; ++i)
        for (size_t j = col; j < col + cols; ++j)
            store(target + (to.row[i] + to.col[j]) * kSize,
                  load<T>(source + (from.row[i] + from.col[j]) * kSize));
}

// True if all of them are squares of which the source's rows and the target's columns are runs.
bool made_of_squares(const std::vector<int64_t>& runs, const std::vector<int64_t>& steps) {
    if (runs.size() % kTransposeSquare != 0) return false;
    for (size_t i = 0; i < runs.size(); i += kTransposeSquare)
        if (run_from(runs, i, kTransposeSquare) != kTransposeSquare || !even(steps, i, kTransposeSquare))
            return false;
    return true;
}

// Like copy_turned(), for elements of 16 bits and larger squares. Returns false for other elements.
bool copy_turned_squares(std::byte* target, const Grid& to, const std::byte* source,
                         const Grid& from) {
    if (!made_of_squares(to.row, from.row) || !made_of_squares(from.col, to.col)) return false;
    for (size_t i = 0; i < to.row.size(); i += kTransposeSquare)
        for (size_t j = 0; j < to.col.size(); j += kTransposeSquare)
            transpose_square(source + (from.row[i] + from.col[j]) * 2,
                        (from.row[i + 1] - from.row[i]) * 2, target + (to.row[i] + to.col[j]) * 2,
                        (to.col[j + 1] - to.col[j]) * 2);
    return true;
}

// Lines of the source run along rows, lines of the target along columns: copies square blocks where both are
// contiguous, and single elements elsewhere.
template <typename T>
void copy_turned(std::byte* target, const Grid& to, const std::byte* source, const Grid& from) {
    constexpr size_t kSide = 16 / sizeof(T);
    constexpr int64_t kSize = sizeof(T);
    const size_t rows = to.row.size(), cols = to.col.size();
    if constexpr (kSize == 2)
        if (copy_turned_squares(target, to, source, from)) return;
    thread_local std::vector<uint8_t> whole_cols;  // by groups of kSide
    whole_cols.clear();
    for (size_t j = 0; j < cols; j += kSide)
        whole_cols.push_back(j + kSide <= cols && run_from(from.col, j, kSide) == kSide &&
                             even(to.col, j, kSide));
    for (size_t i = 0; i < rows; i += kSide) {
        const bool whole_rows =
            i + kSide <= rows && run_from(to.row, i, kSide) == kSide && even(from.row, i, kSide);
        for (size_t j = 0; j < cols; j += kSide) {
            if (!whole_rows || whole_cols[j / kSide] == 0) {
                copy_each<T>(target, to, source, from, i, std::min(kSide, rows - i), j,
                             std::min(kSide, cols - j));
                continue;
            }
            transpose_block<T>(source + (from.row[i] + from.col[j]) * kSize,
                          (from.row[i + 1] - from.row[i]) * kSize,
                          target + (to.row[i] + to.col[j]) * kSize,
                          (to.col[j + 1] - to.col[j]) * kSize);
        }
    }
}

// Rows and columns of a copy are interchangeable: lines of the source along rows or columns.
template <typename T>
void copy_either(std::byte* target, const Grid& to, const std::byte* source, const Grid& from) {
    constexpr size_t kSide = 16 / sizeof(T);
    const bool by_columns = from.row.size() >= kSide && run_from(from.row, 0, kSide) == kSide;
    if (!by_columns) return copy_turned<T>(target, to, source, from);
    thread_local Grid to_turned, from_turned;
    to_turned.row = to.col;
    to_turned.col = to.row;
    from_turned.row = from.col;
    from_turned.col = from.row;
    copy_turned<T>(target, to_turned, source, from_turned);
}

// Two to a byte, the even element in the low nibble; the sibling keeps its value
// (PTO-ISA/pto-spec ADR-0033).
void copy_nibbles(std::byte* target, const Grid& to, const std::byte* source, const Grid& from) {
    for (size_t i = 0; i < to.row.size(); ++i) {
        for (size_t j = 0; j < to.col.size(); ++j) {
            const int64_t read = from.row[i] + from.col[j];
            const int64_t written = to.row[i] + to.col[j];
            const std::byte nibble = (source[read / 2] >> (read % 2 * 4)) & std::byte{15};
            std::byte& byte = target[written / 2];
            byte =
                (byte & (std::byte{15} << ((written + 1) % 2 * 4))) | (nibble << (written % 2 * 4));
        }
    }
}

}  // namespace

void copy_elements(unsigned bits, std::byte* target, const Grid& to, const std::byte* source,
                   const Grid& from) {
    if (bits == 4) {
        copy_nibbles(target, to, source, from);
        return;
    }
    const int64_t size = bits / 8;
    const auto& across_rows = common_runs(to.col, from.col);
    if (!across_rows.empty()) {
        copy_runs_of_any_length(across_rows, size, target, to.row, to.col, source, from.row,
                                from.col);
        return;
    }
    const auto& down_columns = common_runs(to.row, from.row);
    if (!down_columns.empty()) {
        copy_runs_of_any_length(down_columns, size, target, to.col, to.row, source, from.col,
                                from.row);
        return;
    }
    switch (bits) {
        case 8:
            return copy_either<uint8_t>(target, to, source, from);
        case 16:
            return copy_either<uint16_t>(target, to, source, from);
        case 32:
            return copy_either<uint32_t>(target, to, source, from);
        default:
            return copy_each<uint64_t>(target, to, source, from, 0, to.row.size(), 0,
                                       to.col.size());
    }
}

}  // namespace ptosim::semantics
