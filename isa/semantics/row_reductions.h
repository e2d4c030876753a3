// Reductions of rows: sums and products in the order of the elements, and extremes.
#pragma once

#include "isa/numeric/half_lanes.h"
#include "isa/semantics/walks.h"

namespace ptosim::semantics {

// dst(i, 0) = f(...f(f(src(i, 0), src(i, 1)), src(i, 2))...), rounded to the element type after each step; kAdd and
// kMul only.
void reduce_rows(const Execution& e, HalfOperation operation);
// The greatest or the least element of each row.
void extremes_of_rows(const Execution& e, bool greatest);

// The nearest value of T, as a float.
template <typename T>
float rounded(float value) {
    if constexpr (std::is_same_v<T, Half>) {
        return rounded_to_half(value);
    } else if constexpr (std::is_same_v<T, BFloat16>) {
        return to_float(round_to_bfloat16(value));
    } else {
        return value;
    }
}
// Element (row, 0) of a tile of floats.
inline void write_rounded(const Tile& tile, std::byte* base, int row, float value) {
    visit_float(tile.dtype, [&](auto type) { write_lane(tile, base, row, 0, round_to<decltype(type)>(value)); });
}

}  // namespace ptosim::semantics
