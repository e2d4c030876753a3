// The assembler's rules of all families, for their rows (isa/assembler_rules.h), and what these
// rules share.
#pragma once

#include <algorithm>

#include "isa/assembler_rules.h"

namespace ptosim::rows {

// ---- rules of operations
void quantise_mx_form(const WrittenOperation&);
void quantise_form(const WrittenOperation&);
void move_form(const WrittenOperation&);
void load_form(const WrittenOperation&);
void store_form(const WrittenOperation&);
void print_form(const WrittenOperation&);
void product_mx_form(const WrittenOperation&);
void gather_form(const WrittenOperation&);
void scatter_form(const WrittenOperation&);
void memory_gather_form(const WrittenOperation&);
void memory_scatter_form(const WrittenOperation&);
void convert_form(const WrittenOperation&);
void add_relu_form(const WrittenOperation&);
void power_form(const WrittenOperation&);
void row_argument_form(const WrittenOperation&);
void row_expand_form(const WrittenOperation&);
void row_expand_binary_form(const WrittenOperation&);
void row_expand_divide_form(const WrittenOperation&);
void fill_pad_form(const WrittenOperation&);
void inverse_root_form(const WrittenOperation&);
void histogram_form(const WrittenOperation&);

// ---- scratch tiles
extern const AssemblerScratch kRampScratch, kRowReduceScratch, kColumnSumScratch,
    kRowArgumentScratch, kColumnArgumentScratch, kQuantiseScratch, kBitwiseScratch, kPowerScratch,
    kSortScratch, kMergeScratch, kExpandScratch, kExpandExpDifScratch, kConvertScratch,
    kPreluScratch, kRemainderScratch, kRemainderScalarScratch, kSelectScratch, kSelectScalarScratch,
    kTransposeScratch;

// ---- shared
constexpr int64_t kOpenExtent = -1;

inline bool is_row_major(const Tile& tile) {
    return tile.outer == OuterLayout::kRowMajor && !tile.boxed();
}
inline int64_t valid_elements(const Tile& tile) {
    return int64_t{tile.valid_rows} * tile.valid_cols;
}
// As the assembler counts them: a pair of 4-bit numbers is one element of one byte.
inline int64_t packed_bytes(const Tile& tile) {
    return int64_t{tile.rows} * tile.cols * std::max(1U, bits(tile.dtype) / 8);
}
constexpr int64_t ceil_div(int64_t value, int64_t unit) { return (value + unit - 1) / unit; }
constexpr int64_t round_up(int64_t value, int64_t unit) { return ceil_div(value, unit) * unit; }

// Rows and columns that an instruction works on: the valid ones, or all where they are open.
inline int64_t rows_of(const Tile& tile) {
    return tile.valid_rows < 0 ? tile.rows : tile.valid_rows;
}
inline int64_t cols_of(const Tile& tile) {
    return tile.valid_cols < 0 ? tile.cols : tile.valid_cols;
}

// Row-major scratch tiles of UB.
Tile scratch_tile(int64_t rows, int64_t cols, DType dtype, int64_t valid_rows, int64_t valid_cols);
Tile full_scratch_tile(int64_t rows, int64_t cols, DType dtype);
Tile scratch_tile_like(const Tile& tile, DType dtype);

// "needs at least 16 bytes", if it lacks them; else empty.
std::string needs_at_least(bool lacks, int64_t count, std::string_view what);
std::string needs_bytes(const ScratchUse& use, int64_t bytes);

}  // namespace ptosim::rows
