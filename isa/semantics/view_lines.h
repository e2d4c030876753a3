// Copies between views of global memory and tiles, line by line: most transfers are that, and need no table of
// positions (grid.h).
#pragma once

#include "isa/core/execution.h"

namespace ptosim::semantics {

enum class Way { kToTile, kToView };

// Copies the first `rows` rows and `cols` columns of a matrix whose lines are runs of bytes in an ND view, and in an ND
// or NZ tile: false, and nothing is copied, if the layouts are others.
bool copy_view_lines(const GlobalView& view, std::byte* view_bytes, const Tile& tile, std::byte* tile_bytes, int rows,
                     int cols, Way way);

}  // namespace ptosim::semantics
