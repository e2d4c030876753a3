// Positions of the elements of a matrix, for copies between layouts.
//
// In every layout of tiles and global views, the index of element (row, col) is a function of the row plus a function
// of the column. A Grid holds both functions as tables, so any copy between two layouts uses the same two loops.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "isa/core/execution.h"

namespace ptosim::semantics {

struct Grid {
    std::vector<int64_t> row;  // in elements from the operand's address
    std::vector<int64_t> col;

    // The window [row0, row0 + rows) x [col0, col0 + cols) of a tile or of a view's matrix.
    void assign(const Tile& tile, int row0, int col0, int rows, int cols);
    void assign(const GlobalView& view, int rows, int cols);
};

// A grid that is reused by the instructions of this host thread (no heap in the steady state).
// Slots: an instruction uses each of 0..3 for one operand at a time.
Grid& scratch_grid(unsigned slot);

template <typename... Window>
const Grid& grid_of(unsigned slot, const Window&... window) {
    Grid& grid = scratch_grid(slot);
    grid.assign(window...);
    return grid;
}

// Copies the elements that the grids name, `bits` (4, 8, 16, 32 or 64) bits each. The grids have
// the same extents; source and target are the same bytes or do not overlap.
void copy_elements(unsigned bits, std::byte* target, const Grid& to, const std::byte* source,
                   const Grid& from);

}  // namespace ptosim::semantics
