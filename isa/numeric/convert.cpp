#include "isa/numeric/convert.h"

#include <bit>

#include "isa/numeric/exact.h"
#include "isa/numeric/formats.h"

namespace ptosim {
namespace {

using detail::ExactNumber;

constexpr uint64_t low_bits(uint64_t value, DType type) {
    return value & (~uint64_t{0} >> (64 - bits(type)));
}

constexpr uint64_t largest_integer(DType type) {
    return (~uint64_t{0} >> (64 - bits(type))) >> (is_signed(type) ? 1 : 0);
}

// The magnitude: 2^(n-1) or 0.
constexpr uint64_t smallest_integer(DType type) {
    return is_signed(type) ? largest_integer(type) + 1 : 0;
}

ExactNumber read_integer(DType type, uint64_t raw) {
    raw = low_bits(raw, type);
    const bool negative = is_signed(type) && raw > largest_integer(type);
    return {negative, negative ? low_bits(0 - raw, type) : raw, 0};
}

// A magnitude, in two's complement if negative.
uint64_t write_integer(DType type, bool negative, uint64_t magnitude) {
    return low_bits(negative ? 0 - magnitude : magnitude, type);
}

bool fits_integer(DType type, bool negative, uint64_t magnitude) {
    return magnitude <= (negative ? smallest_integer(type) : largest_integer(type));
}

uint64_t clamped_integer(DType type, bool negative) {
    return write_integer(type, negative, negative ? smallest_integer(type) : largest_integer(type));
}

uint64_t integer_to_integer(DType to, const ExactNumber& number, Saturation saturation) {
    if (saturation == Saturation::kOn && !fits_integer(to, number.negative, number.significand)) {
        return clamped_integer(to, number.negative);
    }
    return write_integer(to, number.negative, number.significand);
}

uint64_t float_to_integer(DType to, double value, RoundMode mode, Saturation saturation) {
    const uint64_t indefinite = clamped_integer(to, is_signed(to));
    if (value != value) return saturation == Saturation::kOn ? 0 : indefinite;
    const bool negative = value < 0;
    bool fits = false;
    uint64_t magnitude = 0;
    if (value > -0x1p64 && value < 0x1p64) {
        const ExactNumber number = detail::exact_number(value);
        const detail::Cut kept = detail::cut(number.significand, number.exponent, 0);
        const bool away = detail::rounds_away(mode, negative, (kept.kept & 1) != 0, kept.lost);
        magnitude = kept.kept + (away ? 1 : 0);
        fits = fits_integer(to, negative, magnitude);
    }
    if (fits) return write_integer(to, negative, magnitude);
    return saturation == Saturation::kOn ? clamped_integer(to, negative) : indefinite;
}

}  // namespace

uint64_t convert_bits(DType to, DType from, uint64_t raw, RoundMode mode, Saturation saturation) {
    if (is_integer(from)) {
        const ExactNumber number = read_integer(from, raw);
        if (is_integer(to)) return integer_to_integer(to, number, saturation);
        return encode_exact(to, number.negative, number.significand, 0, mode, saturation);
    }
    const double value = decode(from, raw);
    if (is_integer(to)) return float_to_integer(to, value, mode, saturation);
    return encode(to, value, mode, saturation);
}

float round_to_integral(float value, RoundMode mode) {
    return detail::integral(canonical(value), mode);
}

}  // namespace ptosim
