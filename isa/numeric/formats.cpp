#include "isa/numeric/formats.h"

#include <array>
#include <bit>
#include <limits>
#include <stdexcept>
#include <string>

#include "isa/numeric/exact.h"
#include "isa/numeric/floats.h"

namespace ptosim {
namespace {

using detail::cut;
using detail::Cut;
using detail::ExactNumber;
using detail::rounds_away;

constexpr uint64_t low_bits(unsigned count) { return ~uint64_t{0} >> (64 - count); }

// 2^exponent, -1022 <= exponent <= 1023.
constexpr double power_of_two(int exponent) {
    return std::bit_cast<double>(static_cast<uint64_t>(exponent + 1023) << 52);
}

// --- HiF8 -------------------------------------------------------------------------------------
//
// After the sign a prefix code, the "dot", gives the number of exponent bits; the rest is the fraction (Luo et al.,
// "Ascend HiFloat8 Format for Deep Learning", arXiv 2409.16626; pto-spec asl/arch/data-types/formats/hif8.asl). The
// exponent is a sign bit and a magnitude whose leading 1 is implied, so each dot covers the exponents of one bit
// length:
//
//   dot    exponent  fraction   value
//   0000   -         3 bits M   0 for M = 0, else 2^(M - 23)
//   0001   -         3          (1 + M/8)
//   001    1         3          (1 + M/8) * 2^+-1
//   01     2         3          (1 + M/8) * 2^+-(2..3)
//   10     3         2          (1 + M/4) * 2^+-(4..7)
//   11     4         1          (1 + M/2) * 2^+-(8..15)

struct HiF8Dot {
    uint8_t prefix;  // in place, bits 6..3
    uint8_t exponent_bits;
    uint8_t fraction_bits;
};

// By the number of exponent bits, which is the bit length of |exponent|.
constexpr std::array<HiF8Dot, 5> kHiF8Dots = {
    {{0x08, 0, 3}, {0x10, 1, 3}, {0x20, 2, 3}, {0x40, 3, 2}, {0x60, 4, 1}}};

constexpr int kHiF8MinNormalExponent = -15;

constexpr const HiF8Dot& hif8_dot_of_exponent(int exponent) {
    const auto magnitude = static_cast<unsigned>(exponent < 0 ? -exponent : exponent);
    return kHiF8Dots[static_cast<size_t>(std::bit_width(magnitude))];
}

// The finite value of the 7 bits below the sign.
double decode_hif8_magnitude(uint64_t code) {
    if (code < 8) return code == 0 ? 0 : power_of_two(static_cast<int>(code) - 23);
    size_t width = 4;
    while (code < kHiF8Dots[width].prefix) --width;
    const HiF8Dot& dot = kHiF8Dots[width];
    const uint64_t fraction = code & low_bits(dot.fraction_bits);
    int exponent = 0;
    if (width != 0) {
        const uint64_t field = code >> dot.fraction_bits & low_bits(dot.exponent_bits);
        const uint64_t implied = uint64_t{1} << (width - 1);
        exponent = static_cast<int>(implied | (field & (implied - 1)));
        if ((field & implied) != 0) exponent = -exponent;
    }
    return (1 + static_cast<double>(fraction) / (1 << dot.fraction_bits)) * power_of_two(exponent);
}

// The code of significand * 2^unit, which must be a HiF8 value.
uint64_t encode_hif8_magnitude(uint64_t significand, int unit) {
    if (significand == 0) return 0;
    const int leading = detail::width(significand) - 1;
    const int exponent = unit + leading;
    const int denormal_code = exponent + 23;
    if (exponent < kHiF8MinNormalExponent) return static_cast<uint64_t>(denormal_code);
    const HiF8Dot& dot = hif8_dot_of_exponent(exponent);
    // Rounding up to the next power of two may leave more or fewer bits than this exponent has.
    const int excess = leading - dot.fraction_bits;
    const uint64_t aligned = excess >= 0 ? significand >> excess : significand << -excess;
    const uint64_t fraction = aligned & low_bits(dot.fraction_bits);
    uint64_t field = 0;
    if (dot.exponent_bits != 0) {
        const uint64_t implied = uint64_t{1} << (dot.exponent_bits - 1);
        const auto magnitude = static_cast<uint64_t>(exponent < 0 ? -exponent : exponent);
        field = (magnitude & (implied - 1)) | (exponent < 0 ? implied : 0);
    }
    return dot.prefix | field << dot.fraction_bits | fraction;
}

// --- Rounding ---------------------------------------------------------------------------------

// The exponent of the last place around 2^exponent.
int unit_exponent(const FloatFormat& format, int exponent) {
    if (exponent < format.min_exponent) exponent = format.min_exponent;
    if (format.type != DType::kHIF8) return exponent - format.fraction_bits;
    if (exponent < kHiF8MinNormalExponent) return exponent;
    if (exponent > 15) return exponent - 1;  // where the dots would go on
    return exponent - hif8_dot_of_exponent(exponent).fraction_bits;
}

// The magnitude code of significand * 2^unit, unit as above, not beyond the largest value.
uint64_t magnitude_code(const FloatFormat& format, uint64_t significand, int unit) {
    if (format.type == DType::kHIF8) return encode_hif8_magnitude(significand, unit);
    // The leading bit adds the 1 that a normal's exponent field has more than a subnormal's.
    const auto binade = static_cast<uint64_t>(unit + format.fraction_bits - format.min_exponent);
    return ((binade << format.fraction_bits) + significand) << format.low_zero_bits;
}

uint64_t with_sign(const FloatFormat& format, bool negative, uint64_t magnitude) {
    if (!negative || (magnitude == 0 && !format.has_negative_zero)) return magnitude;
    return magnitude | uint64_t{1} << (bits(format.type) - 1);
}

uint64_t encode_infinity(const FloatFormat& format, bool negative, Saturation saturation) {
    const uint64_t code = detail::infinity_code(format, saturation);
    return code == format.nan ? code : with_sign(format, negative, code);
}

// True if significand * 2^unit, unit as from unit_exponent(), is more than the largest value.
bool beyond_largest(const FloatFormat& format, uint64_t significand, int unit) {
    return static_cast<double>(significand) * power_of_two(unit) > format.largest_value;
}

// For finite numbers that are beyond the largest value even when cut towards zero.
uint64_t encode_overflow(const FloatFormat& format, RoundMode mode, bool negative,
                         Saturation saturation) {
    const bool finite = detail::overflow_stays_finite(format, mode, negative);
    return encode_infinity(format, negative, finite ? Saturation::kOn : saturation);
}

// E8M0, "rounded_base2_exponent_plus_127": nearest compares with 2^(e + 1/2), irrational, so there are no ties
// (pto-spec spec/hardware-conformance-profile.json, tcvt_e8m0).
uint64_t encode_e8m0(const FloatFormat& format, const ExactNumber& number, RoundMode mode,
                     Saturation saturation) {
    constexpr int kBias = 127;
    constexpr uint64_t kSqrt2 = 0xB504F333F9DE6485;  // the first 2^-63 above sqrt(2)
    if (number.negative || number.significand == 0) return format.nan;
    const int zeros = std::countl_zero(number.significand);
    const uint64_t normalized = number.significand << zeros;  // 1.63 fixed point
    const int floor = number.exponent + 63 - zeros;
    const bool exact = normalized == uint64_t{1} << 63;
    if (floor < -kBias) return saturation == Saturation::kOn ? 0 : format.nan;
    if (floor > kBias || (floor == kBias && !exact)) {
        return saturation == Saturation::kOn ? format.largest : format.nan;
    }
    bool up = false;
    switch (mode) {
        case RoundMode::kFloor:
            break;
        case RoundMode::kCeil:
            up = true;
            break;
        case RoundMode::kTrunc:
            up = floor < 0;
            break;
        case RoundMode::kOdd:
            up = floor % 2 == 0;
            break;
        default:
            up = normalized >= kSqrt2;
            break;
    }
    const int code = floor + kBias + (up && !exact ? 1 : 0);
    return static_cast<uint64_t>(code);
}

}  // namespace

const FloatFormat& float_format(DType type) {
    const auto index = static_cast<size_t>(type);
    if (index >= kFloatFormats.size()) {
        throw std::invalid_argument("not a float type: " + std::string(name(type)));
    }
    return kFloatFormats[index];
}

double decode(DType type, uint64_t raw) {
    constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
    constexpr double kInfinity = std::numeric_limits<double>::infinity();
    const FloatFormat& format = float_format(type);
    raw &= low_bits(bits(type));
    if (type == DType::kE8M0) {
        return raw == format.nan ? kNan : power_of_two(static_cast<int>(raw) - 127);
    }
    const uint64_t sign = uint64_t{1} << (bits(type) - 1);
    const uint64_t magnitude = raw & (sign - 1) & ~((uint64_t{1} << format.low_zero_bits) - 1);
    const bool negative = (raw & sign) != 0;
    if (format.has_infinity && magnitude == format.infinity) {
        return negative ? -kInfinity : kInfinity;
    }
    double value = 0;
    if (type == DType::kHIF8) {
        if (raw == format.nan) return kNan;
        value = decode_hif8_magnitude(magnitude);
    } else {
        if (magnitude > format.largest) return kNan;
        const uint64_t code = magnitude >> format.low_zero_bits;
        const uint64_t one = uint64_t{1} << format.fraction_bits;
        const auto field = static_cast<int>(code >> format.fraction_bits);
        const uint64_t significand = (code & (one - 1)) + (field == 0 ? 0 : one);
        const int binade = format.min_exponent + (field == 0 ? 0 : field - 1);
        value = static_cast<double>(significand) * power_of_two(binade - format.fraction_bits);
    }
    return negative ? -value : value;
}

const float* decode_table(DType type) {
    constexpr size_t kFirst = static_cast<size_t>(DType::kE4M3);
    constexpr size_t kCount = kFloatFormats.size() - kFirst;
    using Tables = std::array<std::array<float, 256>, kCount>;
    static const Tables kTables = [] {
        Tables tables{};
        for (size_t i = 0; i < kCount; ++i) {
            for (uint64_t code = 0; code < 256; ++code) {
                const double value = decode(kFloatFormats[kFirst + i].type, code);
                tables[i][code] = round_to_float(value);
            }
        }
        return tables;
    }();
    if (bits(float_format(type).type) > 8) {
        throw std::invalid_argument("no decode table for " + std::string(name(type)));
    }
    return kTables[static_cast<size_t>(type) - kFirst].data();
}

uint64_t encode_exact(DType type, bool negative, uint64_t significand, int exponent, RoundMode mode,
                      Saturation saturation) {
    const FloatFormat& format = float_format(type);
    if (type == DType::kE8M0) {
        return encode_e8m0(format, {negative, significand, exponent}, mode, saturation);
    }
    if (significand == 0) return with_sign(format, negative, 0);

    const int leading = exponent + detail::width(significand) - 1;
    const int largest_exponent = detail::exact_number(format.largest_value).exponent + 52;
    if (leading > largest_exponent + 1) {
        return encode_overflow(format, mode, negative, saturation);
    }
    const int unit = unit_exponent(format, leading);
    const Cut kept = cut(significand, exponent, unit);
    if (beyond_largest(format, kept.kept, unit)) {
        return encode_overflow(format, mode, negative, saturation);
    }
    const uint64_t code = magnitude_code(format, kept.kept, unit);
    const bool odd = (code >> format.low_zero_bits & 1) != 0;
    if (!rounds_away(mode, negative, odd, kept.lost)) return with_sign(format, negative, code);
    if (beyond_largest(format, kept.kept + 1, unit)) {
        return encode_infinity(format, negative, saturation);
    }
    return with_sign(format, negative, magnitude_code(format, kept.kept + 1, unit));
}

uint64_t encode(DType type, double value, RoundMode mode, Saturation saturation) {
    const FloatFormat& format = float_format(type);
    if (value != value) return format.nan;
    const bool negative = std::bit_cast<uint64_t>(value) >> 63 != 0;
    if (value - value != 0) {  // infinite
        if (type == DType::kE8M0 && negative) return format.nan;
        return encode_infinity(format, negative, saturation);
    }
    const ExactNumber number = detail::exact_number(value);
    return encode_exact(type, negative, number.significand, number.exponent, mode, saturation);
}

}  // namespace ptosim
