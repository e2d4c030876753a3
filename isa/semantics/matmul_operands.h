// Converts operands of matrix products between tile layouts and the layouts of the kernels.
//
// All tiles here are boxed (L0A, L0B, L0C and scale layouts) or row-major (bias).
#pragma once

#include <cstddef>
#include <cstdint>

#include "isa/core/tile.h"

namespace ptosim::semantics {

// The prefix [0, rows) x [0, cols) of a tile as floats, row-major with `pitch` floats from row to row. Exact for every
// type of factors; a NaN stays a NaN.
void unpack_rows(const Tile& tile, const std::byte* base, int rows, int cols, float* out,
                 int64_t pitch);

// Unpacks into the panels of matmul_kernel.h; more than `group` rows become one such matrix after another of `group`
// rows each.
void unpack_panels(const Tile& tile, const std::byte* base, int rows, int cols, int group,
                   float* out);

// Copies elements of 32 bits unchanged, in both directions.
void read_words(const Tile& tile, const std::byte* base, int rows, int cols, std::byte* out,
                int64_t pitch);
void write_words(const Tile& tile, std::byte* base, int rows, int cols, const std::byte* in,
                 int64_t pitch);

}  // namespace ptosim::semantics
