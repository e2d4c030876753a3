// Tiles: typed, laid-out names for bytes in an on-chip buffer.
//
// A tile owns nothing. Two tiles with one address are aliases of the same bytes.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "isa/numeric/dtype.h"

namespace ptosim {

// On-chip memories. UB belongs to an AIV, the others to an AIC.
enum class Space : uint8_t {
    kUB,       // unified buffer ("vec")
    kL1,       // ("mat")
    kL0A,      // ("left")
    kL0B,      // ("right")
    kL0C,      // ("acc")
    kBias,     // bias table ("bias")
    kFixpipe,  // fixpipe parameters ("scaling")
    kScaleA,   // MX scales beside L0A
    kScaleB,   // MX scales beside L0B
    kCount,
};
inline constexpr unsigned kSpaceCount = static_cast<unsigned>(Space::kCount);
std::string_view name(Space space);  // "UB", "L1", ...
// The `loc` words of `.pto` files: vec mat left right acc bias scaling.
std::optional<Space> parse_location(std::string_view word);

// Alignment in bytes that a tile's address needs in its space (hw-native-sys/PTOAS
// PTOPlanMemory: 512 for L0A/L0B/L0C in the planner; the hardware rule is 32 everywhere).
inline constexpr uint32_t kTileAlignment = 32;

enum class OuterLayout : uint8_t { kRowMajor, kColMajor };         // BLayout
enum class InnerLayout : uint8_t { kNone, kRowMajor, kColMajor };  // SLayout
enum class Pad : uint8_t { kNull, kZero, kMax, kMin, kCustom };
enum class Compact : uint8_t { kNull, kNormal, kRowPlusOne, kRowAlignedPadding };

struct Tile {
    Space space = Space::kUB;
    DType dtype = DType::kF32;
    OuterLayout outer = OuterLayout::kRowMajor;
    InnerLayout inner = InnerLayout::kNone;
    uint16_t fractal = 512;  // bytes of an inner box: 512; 1024 for accumulators; 32 for MX scales
    Pad pad = Pad::kNull;
    Compact compact = Compact::kNull;
    uint32_t address = 0;  // byte address in its space
    int32_t rows = 0;      // physical shape
    int32_t cols = 0;
    int32_t valid_rows = 0;  // the valid region is the prefix [0, valid_rows) x [0, valid_cols)
    int32_t valid_cols = 0;
    // Distance between neighbours along the outer dimension, in elements: between rows of an ND
    // tile, between columns of a DN tile; for boxed tiles the physical extent (rows of NZ/NN,
    // columns of ZN/ZZ) of the tile that this one is a window of. Equal to cols or rows unless
    // the tile is a window (subview).
    int32_t pitch = 0;
    uint32_t pad_bits = 0;  // Pad::kCustom: an element's bits, right-aligned

    bool boxed() const { return inner != InnerLayout::kNone; }
    // Rows and columns of an inner box, in elements (1 x 1 without boxes).
    int32_t box_rows() const;
    int32_t box_cols() const;
    // Index of element (row, column) from the tile's address, in elements of its dtype.
    int64_t index(int32_t row, int32_t col) const;
    // Bytes from the address to the end of the physical tile.
    uint64_t byte_size() const;
    // Bytes from the address to the end of its valid region: the most that an instruction can touch.
    uint64_t touched_bytes() const;

    friend bool operator==(const Tile&, const Tile&) = default;
};

// Makes a tile whose pitch follows from its shape.
Tile make_tile(Space space, DType dtype, int32_t rows, int32_t cols,
               OuterLayout outer = OuterLayout::kRowMajor, InnerLayout inner = InnerLayout::kNone,
               uint16_t fractal = 512);
// Sets pitch from rows, cols and layout.
void set_dense_pitch(Tile& tile);

// "ND", "DN", "NZ", "ZN", "ZZ", "NN".
std::string_view layout_name(const Tile& tile);
// "UB f32 16x256 ND @0x100 valid 16x200"
std::string to_text(const Tile& tile);

}  // namespace ptosim
