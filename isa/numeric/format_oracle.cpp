#include "isa/numeric/format_oracle.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

namespace ptosim::oracle {

namespace {

constexpr Real kInf = std::numeric_limits<Real>::infinity();
constexpr Real kNan = std::numeric_limits<Real>::quiet_NaN();

enum class Specials { kIeee, kNanOnly, kNone };

struct Fields {
    DType type;
    int exponent_bits;
    int fraction_bits;
    int bias;
    Specials specials;
    int unused_bits;
    uint64_t nan;
};

const Fields* fields_of(DType type) {
    static const Fields kFields[] = {{DType::kF32, 8, 23, 127, Specials::kIeee, 0, 0x7FC00000},
                                     {DType::kF16, 5, 10, 15, Specials::kIeee, 0, 0x7E00},
                                     {DType::kBF16, 8, 7, 127, Specials::kIeee, 0, 0x7FC0},
                                     {DType::kTF32, 8, 10, 127, Specials::kIeee, 13, 0x7FC00000},
                                     {DType::kHF32, 8, 11, 127, Specials::kIeee, 12, 0x7FC00000},
                                     {DType::kE4M3, 4, 3, 7, Specials::kNanOnly, 0, 0x7F},
                                     {DType::kE5M2, 5, 2, 15, Specials::kIeee, 0, 0x7E},
                                     {DType::kE2M1, 2, 1, 1, Specials::kNone, 0, 0},
                                     {DType::kE1M2, 1, 2, 1, Specials::kNone, 0, 0}};
    for (const Fields& fields : kFields) {
        if (fields.type == type) return &fields;
    }
    return nullptr;
}

// 2^exponent, |exponent| <= 256; from a table, because it is needed some hundred million times.
Real power(int exponent) {
    static const std::array<Real, 513> kPowers = [] {
        std::array<Real, 513> powers;
        for (int e = -256; e <= 256; ++e)
            powers.at(static_cast<size_t>(e + 256)) = std::ldexp(Real{1}, e);
        return powers;
    }();
    return kPowers.at(static_cast<size_t>(exponent + 256));
}

// Parity of a whole number. Numbers from 2^64 on are even, because Real has no last bit for them.
bool is_odd(Real whole) { return whole < power(64) && static_cast<uint64_t>(whole) % 2 == 1; }

Real fields_value(const Fields& fields, uint64_t raw) {
    raw >>= fields.unused_bits;
    const uint64_t fraction = raw % (uint64_t{1} << fields.fraction_bits);
    raw >>= fields.fraction_bits;
    const uint64_t exponent = raw % (uint64_t{1} << fields.exponent_bits);
    const Real sign = (raw >> fields.exponent_bits) % 2 == 0 ? 1 : -1;
    const bool top = exponent == (uint64_t{1} << fields.exponent_bits) - 1;
    if (top && fields.specials == Specials::kIeee) return fraction == 0 ? sign * kInf : kNan;
    if (top && fields.specials == Specials::kNanOnly && fraction == 7) return kNan;
    const Real f = static_cast<Real>(fraction) / power(fields.fraction_bits);
    if (exponent == 0) return sign * f * power(1 - fields.bias);
    return sign * (1 + f) * power(static_cast<int>(exponent) - fields.bias);
}

// By the text of the bits, as the paper's table reads.
Real hif8_value(uint64_t raw) {
    std::string text;
    for (int i = 7; i >= 0; --i) text += (raw >> i & 1) != 0 ? '1' : '0';
    const auto number = [&](size_t first, size_t count) {
        return count == 0 ? 0 : std::stoi(text.substr(first, count), nullptr, 2);
    };
    if (text == "10000000") return kNan;
    const Real sign = text[0] == '1' ? -1 : 1;
    if (text.substr(1) == "1101111") return sign * kInf;
    size_t dot_bits = 2;
    size_t exponent_bits = 0;
    if (text.substr(1, 2) == "11")
        exponent_bits = 4;
    else if (text.substr(1, 2) == "10")
        exponent_bits = 3;
    else if (text.substr(1, 2) == "01")
        exponent_bits = 2;
    else if (text.substr(1, 3) == "001")
        exponent_bits = 1, dot_bits = 3;
    else
        dot_bits = 4;
    const size_t fraction_at = 1 + dot_bits + exponent_bits;
    const int fraction = number(fraction_at, 8 - fraction_at);
    if (text.substr(1, 4) == "0000") return fraction == 0 ? 0 : sign * power(fraction - 23);
    int exponent = 0;
    if (exponent_bits > 0) {
        // Sign and magnitude, the leading 1 of the magnitude not stored.
        exponent = (1 << (exponent_bits - 1)) + number(2 + dot_bits, exponent_bits - 1);
        if (text[1 + dot_bits] == '1') exponent = -exponent;
    }
    const Real f = static_cast<Real>(fraction) / power(static_cast<int>(8 - fraction_at));
    return sign * (1 + f) * power(exponent);
}

// A magnitude between two neighbours of the target; equal ones if it is one. Above the largest
// finite value, `high` is the next in the row, which is not a number of the format.
struct Neighbours {
    Real low;
    Real high;
    bool low_is_odd;
    bool overflow;       // low is the largest value, or nothing is as small as the number
    bool low_is_at_end;  // beyond `high` as well: only the direction matters
};

// HiF8's non-negative finite values with their encodings, in increasing order.
const std::vector<std::pair<Real, uint64_t>>& hif8_magnitudes() {
    using Values = std::vector<std::pair<Real, uint64_t>>;
    static const Values& kValues = *new Values([] {
        Values values;
        for (uint64_t raw = 0; raw < 128; ++raw) {
            if (std::isfinite(hif8_value(raw))) values.emplace_back(hif8_value(raw), raw);
        }
        std::sort(values.begin(), values.end());
        return values;
    }());
    return kValues;
}

Neighbours neighbours_of(DType type, Real magnitude) {
    const Real largest = largest_of(type);
    Neighbours result{};
    if (type == DType::kHIF8) {
        const auto& values = hif8_magnitudes();
        const auto next =
            std::upper_bound(values.begin(), values.end(), std::pair(magnitude, ~uint64_t{0}));
        result.low = next[-1].first;
        result.high = next == values.end() ? Real{49152} : next->first;
        // Odd and even encodings take turns, from 0 on.
        result.low_is_odd = (next - values.begin()) % 2 == 0;
    } else {
        const Fields& fields = *fields_of(type);
        int exponent = 0;
        std::frexp(std::min(magnitude, largest), &exponent);
        const Real unit = power(std::max(exponent - 1, 1 - fields.bias) - fields.fraction_bits);
        result.low = std::floor(std::min(magnitude, largest) / unit) * unit;
        result.high = result.low + unit;
        result.low_is_odd = is_odd(result.low / unit);
    }
    result.overflow = magnitude > largest;
    result.low_is_at_end = magnitude >= result.high;
    if (magnitude == result.low) result.high = result.low;
    return result;
}

// The encoding of a value that the type has, or of an infinity.
uint64_t code_of(DType type, bool negative, Real magnitude) {
    const uint64_t sign = negative ? uint64_t{1} << (bits(type) - 1) : 0;
    if (type == DType::kHIF8) {
        if (magnitude == 0) return 0;
        if (magnitude == kInf) return sign | 0x6F;
        const auto& values = hif8_magnitudes();
        return sign |
               std::lower_bound(values.begin(), values.end(), std::pair(magnitude, uint64_t{0}))
                   ->second;
    }
    const Fields& fields = *fields_of(type);
    const uint64_t top = ((uint64_t{1} << fields.exponent_bits) - 1) << fields.fraction_bits;
    if (magnitude == kInf) return sign | top << fields.unused_bits;
    uint64_t exponent = 0;
    Real fraction = magnitude / power(1 - fields.bias);
    if (fraction >= 1) {
        const int e = std::ilogb(magnitude);
        exponent = static_cast<uint64_t>(e + fields.bias);
        fraction = magnitude / power(e) - 1;
    }
    const auto f = static_cast<uint64_t>(fraction * power(fields.fraction_bits));
    return sign | (exponent << fields.fraction_bits | f) << fields.unused_bits;
}

// E8M0: the profile calls this rounding in the base-two exponent domain.
uint64_t expected_e8m0(Real value, RoundMode mode, Saturation saturation) {
    const bool on = saturation == Saturation::kOn;
    if (!(value > 0)) return 0xFF;
    if (value > power(127)) return on ? 0xFE : 0xFF;
    if (value < power(-127)) return on ? 0x00 : 0xFF;
    const int low = std::ilogb(value);
    if (value == power(low)) return static_cast<uint64_t>(low + 127);
    bool up = false;
    switch (mode) {
        case RoundMode::kFloor:
            up = false;
            break;
        case RoundMode::kCeil:
            up = true;
            break;
        case RoundMode::kTrunc:
            up = low < 0;
            break;
        case RoundMode::kOdd:
            up = low % 2 == 0;
            break;
        default:
            up = value / power(low) * (value / power(low)) > 2;
            break;
    }
    return static_cast<uint64_t>(low + (up ? 1 : 0) + 127);
}

uint64_t expected_integer(DType type, Real value, RoundMode mode, Saturation saturation) {
    const bool on = saturation == Saturation::kOn;
    const Real least = is_signed(type) ? -power(static_cast<int>(bits(type)) - 1) : 0;
    const Real most = power(static_cast<int>(bits(type)) - (is_signed(type) ? 1 : 0)) - 1;
    const auto code = [&](Real number) {
        const uint64_t magnitude = static_cast<uint64_t>(std::fabs(number));
        return (number < 0 ? 0 - magnitude : magnitude) & (~uint64_t{0} >> (64 - bits(type)));
    };
    const uint64_t indefinite = is_signed(type) ? code(least) : code(most);
    if (std::isnan(value)) return on ? 0 : indefinite;
    Real rounded = value;
    if (std::isfinite(value)) {
        const Real magnitude = std::fabs(value);
        const Real low = std::floor(magnitude);
        const Real high = std::ceil(magnitude);
        const bool away = takes_high(mode, value < 0, magnitude, low, high, is_odd(low));
        rounded = std::copysign(away ? high : low, value);
    }
    if (rounded < least) return on ? code(least) : indefinite;
    if (rounded > most) return on ? code(most) : indefinite;
    return code(rounded);
}

}  // namespace

Real value_of(DType type, uint64_t raw) {
    if (is_integer(type)) {
        const unsigned count = bits(type);
        if (is_signed(type))
            return static_cast<Real>(static_cast<int64_t>(raw << (64 - count)) >> (64 - count));
        return static_cast<Real>(raw << (64 - count) >> (64 - count));
    }
    if (type == DType::kHIF8) return hif8_value(raw);
    if (type == DType::kE8M0) return raw == 0xFF ? kNan : power(static_cast<int>(raw) - 127);
    return fields_value(*fields_of(type), raw);
}

Real largest_of(DType type) {
    switch (type) {
        case DType::kF32:
            return std::numeric_limits<float>::max();
        case DType::kF16:
            return 65504;
        case DType::kBF16:
            return power(128) - power(120);
        case DType::kTF32:
            return power(128) - power(117);
        case DType::kHF32:
            return power(128) - power(116);
        case DType::kE4M3:
            return 448;
        case DType::kE5M2:
            return 57344;
        case DType::kHIF8:
            return 32768;
        case DType::kE2M1:
            return 6;
        default:
            return 1.75;
    }
}

bool takes_high(RoundMode mode, bool negative, Real magnitude, Real low, Real high,
                bool low_is_odd) {
    if (low == high) return false;
    const Real below = magnitude - low;
    const Real above = high - magnitude;
    switch (mode) {
        case RoundMode::kFloor:
            return negative;
        case RoundMode::kCeil:
            return !negative;
        case RoundMode::kTrunc:
            return false;
        case RoundMode::kOdd:
            return !low_is_odd;
        case RoundMode::kRound:
            return above <= below;
        case RoundMode::kHybrid:
            return above < below || (above == below && !negative);
        default:
            return above < below || (above == below && low_is_odd);
    }
}

uint64_t expected_float(DType type, Real value, RoundMode mode, Saturation saturation) {
    if (type == DType::kE8M0) return expected_e8m0(value, mode, saturation);
    const bool has_infinity = type == DType::kHIF8 || fields_of(type)->specials == Specials::kIeee;
    const bool has_nan = type == DType::kHIF8 || fields_of(type)->specials != Specials::kNone;
    const uint64_t nan = type == DType::kHIF8 ? 0x80 : fields_of(type)->nan;
    if (std::isnan(value)) return nan;
    const bool negative = std::signbit(value);
    const uint64_t largest = code_of(type, negative, largest_of(type));
    uint64_t beyond = has_infinity ? code_of(type, negative, kInf) : nan;
    if (saturation == Saturation::kOn || !has_nan) beyond = largest;
    const Real magnitude = std::fabs(value);
    if (magnitude == kInf) return beyond;
    const Neighbours at = neighbours_of(type, magnitude);
    // Past the next in the row every nearest mode is decided; the directed ones do not care.
    const Real seen = at.low_is_at_end ? at.high : magnitude;
    const bool high = takes_high(mode, negative, seen, at.low, at.high, at.low_is_odd);
    if (at.overflow) return high ? beyond : largest;
    if (high && at.high > largest_of(type)) return beyond;
    return code_of(type, negative, high ? at.high : at.low);
}

uint64_t expected_conversion(DType to, DType from, uint64_t raw, RoundMode mode,
                             Saturation saturation) {
    const Real value = value_of(from, raw);
    if (!is_integer(to)) return expected_float(to, value, mode, saturation);
    if (is_integer(from) && saturation == Saturation::kOff) {
        const unsigned unused = 64 - bits(from);
        const auto wide = is_signed(from)
                              ? static_cast<uint64_t>(static_cast<int64_t>(raw << unused) >> unused)
                              : raw << unused >> unused;
        return wide & (~uint64_t{0} >> (64 - bits(to)));
    }
    return expected_integer(to, value, mode, saturation);
}

std::vector<DType> all_types() {
    std::vector<DType> types;
    for (int i = 0; i < static_cast<int>(DType::kCount); ++i)
        types.push_back(static_cast<DType>(i));
    return types;
}

}  // namespace ptosim::oracle
