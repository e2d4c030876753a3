// Copies between views of global memory and tiles, line by line. Most transfers have this form and need no table of
// positions (grid.h).
#pragma once

#include "isa/core/execution.h"

namespace ptosim::semantics {

enum class Way { kToTile, kToView };

// Copies the first `rows` rows and `cols` columns of a matrix whose lines are runs of bytes in an ND view and in an ND
// or NZ tile. For other layouts it returns false and copies nothing.
bool copy_view_lines(const GlobalView& view, std::byte* view_bytes, const Tile& tile, std::byte* tile_bytes, int rows,
                     int cols, Way way);

}  // namespace ptosim::semantics
