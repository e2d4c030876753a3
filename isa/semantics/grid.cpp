#include "isa/semantics/grid.h"

#include <array>
#include <cstring>

#include "isa/semantics/lanes.h"

namespace ptosim::semantics {

void Grid::assign(const Tile& tile, int row0, int col0, int rows, int cols) {
    row.resize(static_cast<size_t>(rows));
    col.resize(static_cast<size_t>(cols));
    for (int i = 0; i < rows; ++i) row[static_cast<size_t>(i)] = tile.index(row0 + i, 0);
    for (int i = 0; i < cols; ++i) col[static_cast<size_t>(i)] = tile.index(0, col0 + i);
}

void Grid::assign(const GlobalView& view, int rows, int cols) {
    row.resize(static_cast<size_t>(rows));
    col.resize(static_cast<size_t>(cols));
    for (int i = 0; i < rows; ++i) row[static_cast<size_t>(i)] = view.matrix_offset(i, 0);
    for (int i = 0; i < cols; ++i) col[static_cast<size_t>(i)] = view.matrix_offset(0, i);
}

Grid& scratch_grid(unsigned slot) {
    thread_local std::array<Grid, 4> grids;
    return grids[slot];
}

namespace {

// Runs of positions that are contiguous in both tables.
struct Run {
    size_t begin;
    size_t count;
};

const std::vector<Run>& common_runs(const std::vector<int64_t>& to,
                                    const std::vector<int64_t>& from) {
    thread_local std::vector<Run> runs;
    runs.clear();
    for (size_t i = 0; i < to.size(); ++i) {
        const bool joined = i > 0 && to[i] == to[i - 1] + 1 && from[i] == from[i - 1] + 1;
        if (joined)
            ++runs.back().count;
        else
            runs.push_back({i, 1});
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

template <typename T>
void copy_each(std::byte* target, const Grid& to, const std::byte* source, const Grid& from) {
    constexpr int64_t kSize = sizeof(T);
    for (size_t i = 0; i < to.row.size(); ++i) {
        std::byte* const target_row = target + to.row[i] * kSize;
        const std::byte* const source_row = source + from.row[i] * kSize;
        for (size_t j = 0; j < to.col.size(); ++j)
            store(target_row + to.col[j] * kSize, load<T>(source_row + from.col[j] * kSize));
    }
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
    constexpr size_t kWorthwhile = 4;  // elements per run
    const auto& across_rows = common_runs(to.col, from.col);
    if (to.col.size() >= kWorthwhile * across_rows.size()) {
        copy_runs(across_rows, size, target, to.row, to.col, source, from.row, from.col);
        return;
    }
    const auto& down_columns = common_runs(to.row, from.row);
    if (to.row.size() >= kWorthwhile * down_columns.size()) {
        copy_runs(down_columns, size, target, to.col, to.row, source, from.col, from.row);
        return;
    }
    switch (bits) {
        case 8:
            copy_each<uint8_t>(target, to, source, from);
            break;
        case 16:
            copy_each<uint16_t>(target, to, source, from);
            break;
        case 32:
            copy_each<uint32_t>(target, to, source, from);
            break;
        default:
            copy_each<uint64_t>(target, to, source, from);
            break;
    }
}

}  // namespace ptosim::semantics
