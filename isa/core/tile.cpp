#include "isa/core/tile.h"

#include <algorithm>
#include <array>

#include "isa/numeric/round_up.h"

namespace ptosim {

namespace {

constexpr std::array<std::string_view, kSpaceCount> kSpaceNames{
    "UB", "L1", "L0A", "L0B", "L0C", "BIAS", "FIXPIPE", "SCALEA", "SCALEB"};

// hw-native-sys/PTOAS include/PTO/IR/PTOAttrs.td, AddressSpace.
constexpr std::array<std::string_view, kSpaceCount> kLocations{
    "vec", "mat", "left", "right", "acc", "bias", "scaling", "scale_left", "scale_right"};

// Elements that fit into the 32 bytes of one C0 block.
int32_t block_elements(DType type) { return static_cast<int32_t>(32 * 8 / bits(type)); }

// The extent of an inner box along its contiguous dimension, and across it. 512-byte boxes are
// 16 lines of 32 bytes, accumulators' are 16 x 16, MX scales' 16 x 2
// (hw-native-sys/pto-isa include/pto/common/pto_tile.hpp, InnerRows and InnerCols).
int32_t box_along(const Tile& tile) {
    if (tile.fractal == 1024) return 16;
    if (tile.fractal == 32) return 2;
    return block_elements(tile.dtype);
}
constexpr int32_t kBoxAcross = 16;

}  // namespace

std::string_view name(Space space) {
    return space < Space::kCount ? kSpaceNames[static_cast<size_t>(space)] : "?";
}

std::optional<Space> parse_location(std::string_view word) {
    for (size_t i = 0; i < kLocations.size(); ++i)
        if (kLocations[i] == word) return static_cast<Space>(i);
    if (word == "ub") return Space::kUB;  // "vec" before v0.27, and of pointers
    return std::nullopt;
}

int32_t Tile::box_rows() const {
    switch (inner) {
        case InnerLayout::kNone:
            return 1;
        // A one-row ZZ tile is the vector of a TGEMV: its boxes are single lines.
        case InnerLayout::kRowMajor:
            return rows == 1 && outer == OuterLayout::kRowMajor ? 1 : kBoxAcross;
        case InnerLayout::kColMajor:
            return box_along(*this);
    }
    return 1;
}

int32_t Tile::box_cols() const {
    switch (inner) {
        case InnerLayout::kNone:
            return 1;
        case InnerLayout::kRowMajor:
            return box_along(*this);
        case InnerLayout::kColMajor:
            return kBoxAcross;
    }
    return 1;
}

// Boxes follow one another along the dimension that `pitch` measures: a column of boxes (NZ, NN)
// holds pitch * box_cols elements, a row of boxes (ZN, ZZ) pitch * box_rows. In NZ and ZN the
// lines of successive boxes are contiguous too, so that the pitch need not be whole boxes
// (compact mode "row plus one").
int64_t Tile::index(int32_t row, int32_t col) const {
    const int64_t r = row;
    const int64_t c = col;
    const bool row_major = outer == OuterLayout::kRowMajor;
    if (inner == InnerLayout::kNone) return row_major ? r * pitch + c : c * pitch + r;

    const int64_t box_r = box_rows();
    const int64_t box_c = box_cols();
    if (!row_major && inner == InnerLayout::kRowMajor)  // NZ
        return c / box_c * box_c * pitch + r * box_c + c % box_c;
    if (row_major && inner == InnerLayout::kColMajor)  // ZN
        return r / box_r * box_r * pitch + c * box_r + r % box_r;
    if (row_major)  // ZZ
        return r / box_r * box_r * pitch + c / box_c * box_c * box_r + r % box_r * box_c +
               c % box_c;
    return c / box_c * box_c * pitch + r / box_r * box_r * box_c + c % box_c * box_r +
           r % box_r;  // NN
}

namespace {

// Index after the last element of the prefix [0, rows) x [0, cols): in every layout above, the
// element with the largest row and column has the largest index.
uint64_t extent_bytes(const Tile& tile, int32_t rows, int32_t cols) {
    if (rows <= 0 || cols <= 0) return 0;
    return bytes(tile.dtype, static_cast<size_t>(tile.index(rows - 1, cols - 1) + 1));
}

}  // namespace

uint64_t Tile::byte_size() const {
    if (rows <= 0 || cols <= 0) return 0;
    const int32_t whole_rows = round_up(rows, box_rows());
    const int32_t whole_cols = round_up(cols, box_cols());
    // Rows need not fill a box in NZ (columns in ZN): there, lines are contiguous across boxes.
    const bool lines =
        boxed() && (outer == OuterLayout::kColMajor) == (inner == InnerLayout::kRowMajor);
    if (lines && inner == InnerLayout::kRowMajor) return extent_bytes(*this, rows, whole_cols);
    if (lines) return extent_bytes(*this, whole_rows, cols);
    return extent_bytes(*this, whole_rows, whole_cols);
}

uint64_t Tile::touched_bytes() const {
    // Scratch may claim more than it has (rule check_operands).
    return extent_bytes(*this, std::min(valid_rows, rows), std::min(valid_cols, cols));
}

void set_dense_pitch(Tile& tile) {
    const bool row_major = tile.outer == OuterLayout::kRowMajor;
    tile.pitch = row_major ? tile.cols : tile.rows;
    // Boxes are whole along the pitch, except in the layouts whose lines are contiguous (NZ, ZN).
    if (tile.boxed() && row_major && tile.inner == InnerLayout::kRowMajor)
        tile.pitch = round_up(tile.cols, tile.box_cols());
    if (tile.boxed() && !row_major && tile.inner == InnerLayout::kColMajor)
        tile.pitch = round_up(tile.rows, tile.box_rows());
    // A UB tile may keep a spare line between its columns of boxes against bank conflicts
    // (hw-native-sys/pto-isa include/pto/common/pto_tile.hpp, CompactMode::RowPlusOne). Its
    // physical row count already includes that line.
}

Tile make_tile(Space space, DType dtype, int32_t rows, int32_t cols, OuterLayout outer,
               InnerLayout inner, uint16_t fractal) {
    Tile tile;
    tile.space = space;
    tile.dtype = dtype;
    tile.outer = outer;
    tile.inner = inner;
    tile.fractal = fractal;
    tile.rows = tile.valid_rows = rows;
    tile.cols = tile.valid_cols = cols;
    set_dense_pitch(tile);
    return tile;
}

std::string_view layout_name(const Tile& tile) {
    const bool row_major = tile.outer == OuterLayout::kRowMajor;
    switch (tile.inner) {
        case InnerLayout::kNone:
            return row_major ? "ND" : "DN";
        case InnerLayout::kRowMajor:
            return row_major ? "ZZ" : "NZ";
        case InnerLayout::kColMajor:
            return row_major ? "ZN" : "NN";
    }
    return "?";
}

std::string to_text(const Tile& tile) {
    static constexpr char kHex[] = "0123456789abcdef";
    std::string address;
    uint32_t rest = tile.address;
    do {
        address.insert(address.begin(), kHex[rest % 16]);
        rest /= 16;
    } while (rest != 0);

    std::string text{name(tile.space)};
    text += ' ';
    text += name(tile.dtype);
    text += ' ' + std::to_string(tile.rows) + 'x' + std::to_string(tile.cols) + ' ';
    text += layout_name(tile);
    text += " @0x" + address;
    if (tile.valid_rows != tile.rows || tile.valid_cols != tile.cols)
        text += " valid " + std::to_string(tile.valid_rows) + 'x' + std::to_string(tile.valid_cols);
    Tile dense = tile;
    set_dense_pitch(dense);
    if (dense.pitch != tile.pitch) text += " pitch " + std::to_string(tile.pitch);
    return text;
}

}  // namespace ptosim
