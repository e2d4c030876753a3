// Numbers as sign * significand * 2^exponent, and the one place that decides which way to round.
// Internal to isa/numeric.
#pragma once

#include <bit>
#include <cstdint>

#include "isa/numeric/formats.h"
#include "isa/numeric/rounding.h"

namespace ptosim::detail {

constexpr int width(uint64_t value) { return static_cast<int>(std::bit_width(value)); }

// (negative ? -1 : 1) * significand * 2^exponent; zero has significand 0.
struct ExactNumber {
    bool negative;
    uint64_t significand;
    int exponent;
};

// `value` must be finite.
constexpr ExactNumber exact_number(double value) {
    const auto raw = std::bit_cast<uint64_t>(value);
    const auto biased = static_cast<int>(raw >> 52 & 0x7FF);
    const uint64_t fraction = raw & 0xFFFFFFFFFFFFF;
    if (biased == 0) return {raw >> 63 != 0, fraction, -1074};
    return {raw >> 63 != 0, fraction | uint64_t{1} << 52, biased - 1075};
}

// significand * 2^exponent cut to a multiple of 2^unit: kept * 2^unit, and the lost part compared with half a unit.
struct Cut {
    uint64_t kept;
    int lost;  // 0 nothing, 1 less than half, 2 half, 3 more than half
};

// Needs exponent <= unit, or a significand that stays below 2^64 when shifted left.
constexpr Cut cut(uint64_t significand, int exponent, int unit) {
    const int shift = unit - exponent;
    if (shift <= 0) return {significand << -shift, 0};
    if (shift > 64) return {0, significand != 0 ? 1 : 0};
    const uint64_t kept = shift == 64 ? 0 : significand >> shift;
    const uint64_t half = uint64_t{1} << (shift - 1);
    const uint64_t rest = significand & (half | (half - 1));
    if (rest == 0) return {kept, 0};
    return {kept, rest < half ? 1 : rest == half ? 2 : 3};
}

// True if a number cut towards zero has to be replaced by its neighbour away from zero. `odd`: the last bit of the cut
// number's encoding is set.
constexpr bool rounds_away(RoundMode mode, bool negative, bool odd, int lost) {
    switch (mode) {
        case RoundMode::kNone:
        case RoundMode::kRint:
            return lost > 2 || (lost == 2 && odd);
        case RoundMode::kRound:
            return lost >= 2;
        case RoundMode::kFloor:
            return lost != 0 && negative;
        case RoundMode::kCeil:
            return lost != 0 && !negative;
        case RoundMode::kTrunc:
            return false;
        case RoundMode::kOdd:
            return lost != 0 && !odd;
        case RoundMode::kHybrid:
            return lost > 2 || (lost == 2 && !negative);
    }
    return false;
}

// Code of a number beyond the largest value without saturation: the magnitude of infinity, or NaN, or the largest value
// in formats that have neither.
constexpr uint64_t infinity_code(const FloatFormat& format, Saturation saturation) {
    if (saturation == Saturation::kOn || (!format.has_infinity && !format.has_nan)) {
        return format.largest;
    }
    return format.has_infinity ? format.infinity : format.nan;
}

// For numbers beyond the largest value even when cut towards zero: true if the mode nevertheless gives the largest
// value (IEEE 754-2019 7.4).
constexpr bool overflow_stays_finite(const FloatFormat& format, RoundMode mode, bool negative) {
    switch (mode) {
        case RoundMode::kFloor:
            return !negative;
        case RoundMode::kCeil:
            return negative;
        case RoundMode::kTrunc:
            return true;
        case RoundMode::kOdd:
            return (format.largest >> format.low_zero_bits & 1) != 0;
        default:
            return false;
    }
}

}  // namespace ptosim::detail
