// The operands of matrix products between their tiles' layouts and what the kernels work on.
//
// All tiles here are boxed (L0A, L0B, L0C and scale layouts) or row-major (bias).
#pragma once

#include <cstddef>
#include <cstdint>

#include "isa/core/tile.h"

namespace ptosim::semantics {

// The prefix [0, rows) x [0, cols) of a tile as floats, row-major with `pitch` floats from row to
// row. Exact for every type of factors; NaNs stay some NaN.
void unpack_rows(const Tile& tile, const std::byte* base, int rows, int cols, float* out,
                 int64_t pitch);

// The same in the panels of matmul_kernel.h; for more than `group` rows, as one such matrix after
// another of `group` rows each.
void unpack_panels(const Tile& tile, const std::byte* base, int rows, int cols, int group,
                   float* out);

// The same for elements of 32 bits, as they are, in both directions.
void read_words(const Tile& tile, const std::byte* base, int rows, int cols, std::byte* out,
                int64_t pitch);
void write_words(const Tile& tile, std::byte* base, int rows, int cols, const std::byte* in,
                 int64_t pitch);

}  // namespace ptosim::semantics
