// Pad values as element bits.
#pragma once

#include <cstdint>

#include "isa/numeric/formats.h"
#include "isa/tile.h"

namespace ptosim::semantics {

// The bits of a pad value: floats have the infinities as extremes (the largest finite value where
// there is no infinity), integers their range
// (hw-native-sys/pto-isa include/pto/common/utils.hpp, GetPadValue).
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

inline uint64_t pad_bits(const Tile& tile) {
    if (tile.pad == Pad::kCustom) return tile.pad_bits & (~uint64_t{0} >> (64 - bits(tile.dtype)));
    return pad_bits(tile.dtype, tile.pad);
}

}  // namespace ptosim::semantics
