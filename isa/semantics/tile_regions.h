// Parts of tiles: building blocks of functions for the traits `touched` and `reaches_beyond`.
#pragma once

#include <algorithm>

#include "isa/numeric/round_up.h"
#include "isa/table/access.h"

namespace ptosim::semantics {

inline int32_t round_up_within(int32_t count, int32_t unit, int32_t most) {
    return std::min(most, round_up(count, unit));
}

// The part of a tile right of and below an element, which may be any one in boxes that are whole.
inline Tile window(Tile tile, int32_t row, int32_t col) {
    tile.address +=
        static_cast<uint32_t>(bytes(tile.dtype, static_cast<size_t>(tile.index(row, col))));
    tile.valid_rows -= row;
    tile.valid_cols -= col;
    return tile;
}

inline bool is_nz(const Tile& tile) {
    return tile.outer == OuterLayout::kColMajor && tile.inner == InnerLayout::kRowMajor;
}

// `count` elements, one after the other.
inline Tile run_of(Tile tile, int32_t count) {
    tile.rows = tile.valid_rows = 1;
    tile.cols = tile.valid_cols = count;
    return tile;
}

inline Tile whole_of(Tile tile) {
    tile.valid_rows = tile.rows;
    tile.valid_cols = tile.cols;
    return tile;
}

// Scratch with the bytes of the destination's lanes (hw-native-sys/pto-isa docs/isa, the page of
// each: "tmp").
inline uint64_t scratch_of_lanes(const Instruction& instruction) {
    const Tile& dst = instruction.tile(0);
    return bytes(dst.dtype, static_cast<size_t>(int64_t{dst.valid_rows} * dst.valid_cols));
}

}  // namespace ptosim::semantics
