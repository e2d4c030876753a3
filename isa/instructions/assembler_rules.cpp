#include "isa/instructions/assembler_rules.h"

namespace ptosim::rows {

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
