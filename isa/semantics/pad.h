// Pad values as element bits.
#pragma once

#include <cstdint>

#include "isa/core/tile.h"
#include "isa/numeric/formats.h"

namespace ptosim::semantics {

// The bits of a pad value. The extremes of floats are infinities (or the largest finite value), the extremes of
// integers are the limits of their range (hw-native-sys/pto-isa include/pto/common/utils.hpp, GetPadValue).
inline uint64_t pad_bits(DType type, Pad pad) {
    if (pad == Pad::kNull || pad == Pad::kZero) return 0;
    const uint64_t all = ~uint64_t{0} >> (64 - bits(type));
    const uint64_t top = uint64_t{1} << (bits(type) - 1);
    if (is_integer(type)) {
        if (is_signed(type)) return pad == Pad::kMax ? top - 1 : top;
        return pad == Pad::kMax ? all : 0;
    }
    const FloatFormat& format = float_format(type);
    const uint64_t magnitude = format.has_infinity ? format.infinity : format.largest;
    if (pad == Pad::kMax) return magnitude;
    return format.has_sign ? magnitude | top : 0;
}

// `finite`: the largest finite value instead of an infinity.
inline uint64_t pad_bits(const Tile& tile, bool finite) {
    const bool extreme = tile.pad == Pad::kMax || tile.pad == Pad::kMin;
    if (finite && extreme && !is_integer(tile.dtype)) {
        const FloatFormat& format = float_format(tile.dtype);
        const bool negative = tile.pad == Pad::kMin && format.has_sign;
        return format.largest | (negative ? uint64_t{1} << (bits(tile.dtype) - 1) : 0);
    }
    if (tile.pad == Pad::kCustom) return tile.pad_bits & (~uint64_t{0} >> (64 - bits(tile.dtype)));
    return pad_bits(tile.dtype, tile.pad);
}

inline uint64_t pad_bits(const Tile& tile) { return pad_bits(tile, false); }

// Stores 4-bit element `at`: two per byte, the even one in the low half.
inline void store_nibble(std::byte* base, int64_t at, uint64_t value) {
    const auto shift = static_cast<unsigned>(at % 2 * 4);
    base[at / 2] =
        (base[at / 2] & (std::byte{0xF0} >> shift)) | (static_cast<std::byte>(value) << shift);
}

}  // namespace ptosim::semantics
