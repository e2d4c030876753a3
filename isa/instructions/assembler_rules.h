// Assembler rules that several families share (isa/table/assembler_rules.h).
#pragma once

#include <algorithm>

#include "isa/numeric/round_up.h"
#include "isa/table/assembler_rules.h"

namespace ptosim::rows {

constexpr int64_t kOpenExtent = -1;

inline bool is_row_major(const Tile& tile) {
    return tile.outer == OuterLayout::kRowMajor && !tile.boxed();
}
inline int64_t valid_elements(const Tile& tile) {
    return int64_t{tile.valid_rows} * tile.valid_cols;
}
// Counted as in the assembler: a pair of 4-bit numbers is one element of one byte.
inline int64_t packed_bytes(const Tile& tile) {
    return int64_t{tile.rows} * tile.cols * std::max(1U, bits(tile.dtype) / 8);
}

// Rows and columns that an instruction works on: the valid ones, or all of them if the valid ones are open.
inline int64_t rows_of(const Tile& tile) {
    return tile.valid_rows < 0 ? tile.rows : tile.valid_rows;
}
inline int64_t cols_of(const Tile& tile) {
    return tile.valid_cols < 0 ? tile.cols : tile.valid_cols;
}

// ---- requirements of an operation; `op` refuses it if one is not met. Omitted operands, operands other than tiles in
// place of tiles, and extents that the text leaves open meet every requirement.

// The scalar is an integer or a float, not an index.
void require_number(const WrittenOperation& op, std::string_view scalar);
// It has the element type of the tile: the assembler converts nothing.
void require_scalar_of(const WrittenOperation& op, std::string_view scalar, std::string_view tile);
void require_element_type_of(const WrittenOperation& op, std::string_view tile,
                             std::string_view other);
enum class Extents : uint8_t { kRows, kColumns, kBoth };
void require_same_valid(const WrittenOperation& op, std::string_view tile, std::string_view other,
                        Extents extents = Extents::kBoth);
// Rows and columns of the tiles themselves.
void require_same_shape(const WrittenOperation& op, std::string_view tile, std::string_view other);
void require_all_valid_columns(const WrittenOperation& op, std::string_view tile);
// They are not the same value of the text.
void require_different(const WrittenOperation& op, std::string_view operand,
                       std::string_view other);
void require_row_major(const WrittenOperation& op, std::string_view tile);

// Row-major scratch tiles of UB.
Tile scratch_tile(int64_t rows, int64_t cols, DType dtype, int64_t valid_rows, int64_t valid_cols);
Tile full_scratch_tile(int64_t rows, int64_t cols, DType dtype);
Tile scratch_tile_like(const Tile& tile, DType dtype);

// "needs at least 16 bytes", if it lacks them; else empty.
std::string needs_at_least(bool lacks, int64_t count, std::string_view what);
std::string needs_bytes(const ScratchUse& use, int64_t bytes);

// Bitwise operations: like the destination.
extern const AssemblerScratch kBitwiseScratch;

}  // namespace ptosim::rows
