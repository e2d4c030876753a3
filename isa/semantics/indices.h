// Indices in tiles.
#pragma once

#include "isa/semantics/arithmetic.h"

namespace ptosim::semantics {

inline int64_t read_index(const Tile& tile, const std::byte* base, int row, int col) {
    int64_t index = 0;
    visit_integer(tile.dtype, [&](auto type) {
        index = static_cast<int64_t>(read_lane<decltype(type)>(tile, base, row, col));
    });
    return index;
}

// Elements that a tile has room for.
inline int64_t elements_of(const Tile& tile) {
    return static_cast<int64_t>(tile.byte_size() * 8 / bits(tile.dtype));
}

}  // namespace ptosim::semantics
