// The values of a tile at one time: its valid region, row by row.
#pragma once

#include <cstdint>
#include <string>

#include "isa/core/execution.h"

namespace ptosim {

// Number of elements that are not numbers, and the range of the others.
struct TileFacts {
    uint64_t nans = 0, infinities = 0;
    double least = 0, most = 0;  // of the numbers; 0 if there is none
    friend bool operator==(const TileFacts&, const TileFacts&) = default;
};

struct TileValues {
    DType dtype = DType::kF32;
    uint32_t rows = 0, columns = 0;
    std::string bytes;  // lowest first; elements of less than a byte take one

    uint64_t bits_at(uint32_t row, uint32_t column) const;
    // Integers of 64 bits are rounded.
    double value_at(uint32_t row, uint32_t column) const;
    // "-1.5", "inf", "nan", "37": as short as is exact for its type, up to 9 digits.
    std::string text_at(uint32_t row, uint32_t column) const;
    friend bool operator==(const TileValues&, const TileValues&) = default;
};

// Bytes of an element of a kept tile.
constexpr unsigned kept_bytes(DType type) { return bits(type) < 8 ? 1 : bits(type) / 8; }

// `base` is the byte at the tile's address.
TileValues values_of(const Tile& tile, const std::byte* base);
TileFacts facts_of(const TileValues& values);

}  // namespace ptosim
