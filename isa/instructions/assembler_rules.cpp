#include "isa/instructions/assembler_rules.h"

namespace ptosim::rows {

namespace {

std::string quoted(std::string_view word) { return "'" + std::string(word) + "'"; }
bool differ(int32_t a, int32_t b) { return a >= 0 && b >= 0 && a != b; }

}  // namespace

void require_number(const WrittenOperation& op, std::string_view scalar) {
    if (op.given(scalar))
        op.require(op.type(scalar).text != "index", "T02",
                   "takes an integer or a float as " + quoted(scalar) + ", no index");
}

void require_scalar_of(const WrittenOperation& op, std::string_view scalar, std::string_view tile) {
    if (!op.given(scalar) || op.tile(tile) == nullptr) return;
    const WrittenType written = op.type(scalar);
    op.require(written.text != "index" && written.dtype == op.tile(tile)->dtype, "T02",
               "takes a " + quoted(scalar) + " of the element type of " + quoted(tile) + ", " +
                   std::string(name(op.tile(tile)->dtype)) + ", not " + std::string(written.text));
}

void require_element_type_of(const WrittenOperation& op, std::string_view tile,
                             std::string_view other) {
    const Tile *one = op.tile(tile), *two = op.tile(other);
    if (one == nullptr || two == nullptr) return;
    op.require(one->dtype == two->dtype, "T01",
               "takes a " + quoted(tile) + " of the element type of " + quoted(other) + ", " +
                   std::string(name(two->dtype)) + ", not " + std::string(name(one->dtype)));
}

void require_same_valid(const WrittenOperation& op, std::string_view tile, std::string_view other,
                        Extents extents) {
    if (op.tile(tile) == nullptr || op.tile(other) == nullptr) return;
    const Tile one = op.type(tile).tile, two = op.type(other).tile;
    op.require(extents == Extents::kColumns || !differ(one.valid_rows, two.valid_rows), "S04",
               "takes a " + quoted(tile) + " with the valid rows of " + quoted(other) + ", " +
                   std::to_string(two.valid_rows) + ", not " + std::to_string(one.valid_rows));
    op.require(extents == Extents::kRows || !differ(one.valid_cols, two.valid_cols), "S04",
               "takes a " + quoted(tile) + " with the valid columns of " + quoted(other) + ", " +
                   std::to_string(two.valid_cols) + ", not " + std::to_string(one.valid_cols));
}

void require_same_shape(const WrittenOperation& op, std::string_view tile, std::string_view other) {
    const Tile *one = op.tile(tile), *two = op.tile(other);
    if (one == nullptr || two == nullptr) return;
    op.require(one->rows == two->rows && one->cols == two->cols, "S05",
               "takes a " + quoted(tile) + " of the shape of " + quoted(other) + ", " +
                   std::to_string(two->rows) + "x" + std::to_string(two->cols) + ", not " +
                   std::to_string(one->rows) + "x" + std::to_string(one->cols));
}

void require_all_valid_columns(const WrittenOperation& op, std::string_view tile) {
    if (op.tile(tile) == nullptr) return;
    const Tile written = op.type(tile).tile;
    op.require(!differ(written.valid_cols, written.cols), "S04",
               "takes a " + quoted(tile) + " whose " + std::to_string(written.cols) +
                   " columns are all valid, not " + std::to_string(written.valid_cols));
}

void require_different(const WrittenOperation& op, std::string_view operand,
                       std::string_view other) {
    op.require(!op.same_value(operand, other), "A07",
               "takes a " + quoted(operand) + " that is not " + quoted(other));
}

void require_row_major(const WrittenOperation& op, std::string_view tile) {
    if (op.tile(tile) != nullptr)
        op.require(is_row_major(*op.tile(tile)), "L02",
                   "takes a " + quoted(tile) + " that is row-major");
}

Tile scratch_tile(int64_t rows, int64_t cols, DType dtype, int64_t valid_rows, int64_t valid_cols) {
    Tile tile;
    tile.space = Space::kUB;
    tile.dtype = dtype;
    tile.rows = static_cast<int32_t>(rows);
    tile.cols = tile.pitch = static_cast<int32_t>(cols);
    tile.valid_rows = static_cast<int32_t>(valid_rows == kOpenExtent ? rows : valid_rows);
    tile.valid_cols = static_cast<int32_t>(valid_cols == kOpenExtent ? cols : valid_cols);
    return tile;
}

Tile full_scratch_tile(int64_t rows, int64_t cols, DType dtype) {
    return scratch_tile(rows, cols, dtype, rows, cols);
}

Tile scratch_tile_like(const Tile& tile, DType dtype) {
    return scratch_tile(tile.rows, tile.cols, dtype, tile.valid_rows, tile.valid_cols);
}

std::string needs_at_least(bool lacks, int64_t count, std::string_view what) {
    if (!lacks) return {};
    return "needs at least " + std::to_string(count) + " " + std::string(what);
}

std::string needs_bytes(const ScratchUse& use, int64_t bytes) {
    return needs_at_least(use.tmp->byte_size() < static_cast<uint64_t>(bytes), bytes, "bytes");
}

const AssemblerScratch kBitwiseScratch{.made = [](const Instruction& i) -> std::optional<Tile> {
                                           return scratch_tile_like(i.tile(0), i.tile(0).dtype);
                                       },
                                       .lacks = [](const ScratchUse& use) -> std::string {
                                           if (use.tmp->dtype != use.dst->dtype)
                                               return "has the type of the destination";
                                           return is_row_major(*use.tmp) ? "" : "is row-major";
                                       }};

}  // namespace ptosim::rows
