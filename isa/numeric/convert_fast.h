// The branch-free building blocks of fast conversions. Internal to isa/numeric; use convert.h.
//
// Every conversion goes through float: sources that fit it exactly are widened first, then either made integral and
// clamped, or narrowed with one rounding.
#pragma once

#include <bit>
#include <cstdint>
#include <limits>

#include "isa/numeric/exact.h"
#include "isa/numeric/floats.h"
#include "isa/numeric/formats.h"
#include "isa/numeric/numeric.h"

namespace ptosim::detail {

constexpr bool is_nearest_even(RoundMode mode) {
    return mode == RoundMode::kNone || mode == RoundMode::kRint;
}

// Types whose every value is a float.
constexpr bool fits_float(DType type) {
    if (is_integer(type)) return bits(type) <= 16;
    return type != DType::kTF32 && type != DType::kHF32;  // they do, but are rare
}

// Float targets that narrow() supports.
constexpr bool is_narrow_float(DType type) {
    return type == DType::kF16 || type == DType::kBF16 || type == DType::kE4M3 ||
           type == DType::kE5M2 || type == DType::kE2M1 || type == DType::kE1M2;
}

// Exact; From must satisfy fits_float().
template <DType From>
constexpr float widen(Storage<From> value) {
    if constexpr (From == DType::kF32 || From == DType::kF16 || From == DType::kBF16) {
        return to_float(value);
    } else if constexpr (From == DType::kI4) {
        return static_cast<float>(static_cast<int8_t>(value << 4) >> 4);
    } else if constexpr (is_integer(From)) {
        return static_cast<float>(value);
    } else {
        return decode_table(From)[value & ((1u << bits(From)) - 1)];
    }
}

// Selections through the bits: for `condition ? a + b : a` compilers branch around the sum, since it might raise an
// exception, and then do not vectorise.
constexpr uint32_t mask_if(bool condition) { return 0u - static_cast<uint32_t>(condition); }
constexpr bool both(bool a, bool b) { return (int{a} & int{b}) != 0; }  // && would be a branch
constexpr float one_if(bool condition) {
    return std::bit_cast<float>(std::bit_cast<uint32_t>(1.0F) & mask_if(condition));
}
constexpr float choose(bool condition, float a, float b) {
    const uint32_t mask = mask_if(condition);
    return std::bit_cast<float>((std::bit_cast<uint32_t>(a) & mask) |
                                (std::bit_cast<uint32_t>(b) & ~mask));
}

// Rounds to an integral value; zeros keep the sign, infinities and NaN stay.
constexpr float integral(float value, RoundMode mode) {
    const uint32_t raw = std::bit_cast<uint32_t>(value);
    const bool negative = raw >> 31 != 0;
    const float a = std::bit_cast<float>(raw & 0x7FFFFFFFu);
    // From 2^23 on a float's last place is 1: the addition rounds, and above all are integral.
    const float nearest = choose(a < 0x1p23F, (a + 0x1p23F) - 0x1p23F, a);
    const float down = nearest - one_if(nearest > a);
    const float rest = a - down;
    bool up = false;
    switch (mode) {
        case RoundMode::kNone:
        case RoundMode::kRint:
            break;  // done above
        case RoundMode::kRound:
            up = rest >= 0.5F;
            break;
        case RoundMode::kFloor:
            up = both(negative, rest > 0);
            break;
        case RoundMode::kCeil:
            up = both(!negative, rest > 0);
            break;
        case RoundMode::kTrunc:
            break;
        case RoundMode::kOdd: {
            const float half = down * 0.5F;  // integral if `down` is even
            up = both(rest > 0, (half + 0x1p23F) - 0x1p23F == half);
            break;
        }
        case RoundMode::kHybrid:
            up = rest >= choose(negative, 0x1.000002p-1F, 0.5F);  // for negative ones: more
            break;
    }
    const float magnitude = is_nearest_even(mode) ? nearest : down + one_if(up);
    return std::bit_cast<float>(std::bit_cast<uint32_t>(magnitude) | (raw & 0x80000000u));
}

// An integral value, infinity or NaN into an integer type, by the rule of convert_bits().
template <DType To, Saturation Sat>
constexpr Storage<To> integral_to_integer(float value) {
    constexpr bool kSigned = is_signed(To);
    constexpr int kBits = static_cast<int>(bits(To));
    constexpr float kEnd = static_cast<float>(uint64_t{1} << (kBits - 1)) * (kSigned ? 1 : 2);
    constexpr float kBegin = kSigned ? -kEnd : 0;
    constexpr uint64_t kMax = (~uint64_t{0} >> (64 - kBits)) >> (kSigned ? 1 : 0);
    constexpr uint64_t kMin = kSigned ? ~kMax : 0;
    using Wide = std::conditional_t<(kBits < 32 || To == DType::kI32), int32_t, Storage<To>>;

    using Bits = std::make_unsigned_t<Wide>;

    const bool fits = both(value >= kBegin, value < kEnd);
    // 0 if it does not fit; then one of the others is set, for NaN with saturation none.
    const auto inside = static_cast<Bits>(static_cast<Wide>(choose(fits, value, 0.0F)));
    Bits outside = 0;
    if constexpr (Sat == Saturation::kOn) {
        const auto below = static_cast<Bits>(Bits{0} - static_cast<Bits>(value < kBegin));
        const auto above = static_cast<Bits>(Bits{0} - static_cast<Bits>(value >= kEnd));
        outside = static_cast<Bits>((below & static_cast<Bits>(kMin)) |
                                    (above & static_cast<Bits>(kMax)));
    } else {
        const auto unfit = static_cast<Bits>(Bits{0} - static_cast<Bits>(!fits));
        outside = unfit & static_cast<Bits>(kSigned ? kMin : kMax);
    }
    const auto result = static_cast<Wide>(inside | outside);
    if constexpr (kBits == 4) return static_cast<uint8_t>(result & 0xF);
    return static_cast<Storage<To>>(result);
}

// Integer to integer.
template <DType To, Saturation Sat, typename Value>
constexpr Storage<To> integer_to_integer(Value value) {
    constexpr uint64_t kMax = (~uint64_t{0} >> (64 - bits(To))) >> (is_signed(To) ? 1 : 0);
    if constexpr (Sat == Saturation::kOn) {
        using Target = std::conditional_t<is_signed(To), int64_t, uint64_t>;
        constexpr auto kHigh = static_cast<Target>(kMax);
        constexpr auto kLow = static_cast<Target>(is_signed(To) ? ~kMax : 0);
        if constexpr (std::is_signed_v<Value>) {
            const auto wide = static_cast<int64_t>(value);
            const bool below = is_signed(To) ? wide < static_cast<int64_t>(kLow) : wide < 0;
            const bool above = wide > 0 && static_cast<uint64_t>(wide) > kMax;
            const auto clamped = below ? kLow : above ? kHigh : static_cast<Target>(wide);
            return from_bits<To>(static_cast<uint64_t>(clamped) &
                                 (~uint64_t{0} >> (64 - bits(To))));
        } else {
            return from_bits<To>(value > kMax ? kMax : value);
        }
    }
    return from_bits<To>(static_cast<uint64_t>(value) & (~uint64_t{0} >> (64 - bits(To))));
}

// A float into one of the narrower formats, with any mode. The same steps as encode_exact().
template <DType To>
constexpr Storage<To> narrow(float value, RoundMode mode, Saturation saturation) {
    constexpr const FloatFormat& kFormat = kFloatFormats[static_cast<size_t>(To)];
    constexpr uint32_t kMinBiased = static_cast<uint32_t>(127 + kFormat.min_exponent);
    constexpr uint32_t kDropped = 23u - kFormat.fraction_bits;
    constexpr auto kLargest = static_cast<uint32_t>(kFormat.largest);
    constexpr unsigned kSignShift = 32u - bits(To);

    const uint32_t raw = std::bit_cast<uint32_t>(value);
    const uint32_t magnitude = raw & 0x7FFFFFFFu;
    const bool negative = raw != magnitude;
    const uint32_t sign = (raw & 0x80000000u) >> kSignShift;
    const uint32_t field = magnitude >> 23;
    const uint32_t significand = (magnitude & 0x7FFFFFu) | (field != 0 ? 0x800000u : 0u);
    const uint32_t biased = field != 0 ? field : 1u;
    const uint32_t binade = biased > kMinBiased ? biased : kMinBiased;
    uint32_t shift = kDropped + (binade - biased);
    shift = shift < 31 ? shift : 31;
    const uint32_t kept = significand >> shift;
    const uint32_t rest = significand & ((1u << shift) - 1);
    const uint32_t half = 1u << (shift - 1);
    const int lost = rest == 0 ? 0 : rest < half ? 1 : rest == half ? 2 : 3;
    uint32_t code = ((binade - kMinBiased) << kFormat.fraction_bits) + kept;
    const bool cut_overflows = code > kLargest && magnitude != 0x7F800000u;
    code += rounds_away(mode, negative, (code & 1) != 0, lost) ? 1u : 0u;

    const bool finite = cut_overflows && overflow_stays_finite(kFormat, mode, negative);
    const auto infinity =
        static_cast<uint32_t>(infinity_code(kFormat, finite ? Saturation::kOn : saturation));
    code = code > kLargest ? infinity : code;
    const bool nan = magnitude > 0x7F800000u;
    code = nan ? static_cast<uint32_t>(kFormat.nan) : code;
    const bool keeps_sign = !nan && (!kFormat.has_nan || code != kFormat.nan);
    return from_bits<To>(keeps_sign ? code | sign : code);
}

// Replaces an infinity by the largest value.
constexpr float saturate(float value) {
    const float below =
        value < std::numeric_limits<float>::max() ? value : std::numeric_limits<float>::max();
    const float clamped =
        below > std::numeric_limits<float>::lowest() ? below : std::numeric_limits<float>::lowest();
    return value != value ? canonical(value) : clamped;
}
constexpr Half saturate(Half value) {
    const bool infinite = (value.bits & 0x7FFF) == 0x7C00;
    return {static_cast<uint16_t>(infinite ? value.bits - 1 : value.bits)};
}
constexpr BFloat16 saturate(BFloat16 value) {
    const bool infinite = (value.bits & 0x7FFF) == 0x7F80;
    return {static_cast<uint16_t>(infinite ? value.bits - 1 : value.bits)};
}

// A float to f32, f16 or bf16, or to one of the types that narrow() supports.
template <DType To>
constexpr Storage<To> float_to_float(float value, RoundMode mode, Saturation saturation) {
    if constexpr (To == DType::kF32) {
        return saturation == Saturation::kOn ? saturate(value) : canonical(value);
    } else if constexpr (To == DType::kF16 || To == DType::kBF16) {
        if (!is_nearest_even(mode)) return narrow<To>(value, mode, saturation);
        const Storage<To> rounded = round_to<Storage<To>>(value);
        return saturation == Saturation::kOn ? saturate(rounded) : rounded;
    } else {
        return narrow<To>(value, mode, saturation);
    }
}

// Integers that do not fit a float, nearest even only: i32 and u32 fit a double; the conversion to
// float itself is the processor's, which rounds once.
constexpr bool has_wide_integer_convert(DType to, DType from) {
    if (!is_integer(from) || fits_float(from)) return false;
    if (to == DType::kF32) return true;
    return bits(from) == 32 && (to == DType::kF16 || to == DType::kBF16);
}

template <DType To, DType From, RoundMode Mode>
constexpr bool has_fast_convert() {
    if (is_integer(To)) return is_integer(From) || fits_float(From);
    if (fits_float(From)) return To == DType::kF32 || is_narrow_float(To);
    return is_nearest_even(Mode) && has_wide_integer_convert(To, From);
}

template <DType To, DType From, RoundMode Mode, Saturation Sat>
constexpr Storage<To> fast_convert(Storage<From> value) {
    if constexpr (is_integer(To) && is_integer(From)) {
        if constexpr (From == DType::kI4) {
            return integer_to_integer<To, Sat>(
                static_cast<int8_t>(static_cast<int8_t>(value << 4) >> 4));
        } else {
            return integer_to_integer<To, Sat>(value);
        }
    } else if constexpr (is_integer(To)) {
        return integral_to_integer<To, Sat>(integral(widen<From>(value), Mode));
    } else if constexpr (fits_float(From)) {
        return float_to_float<To>(widen<From>(value), Mode, Sat);
    } else if constexpr (To == DType::kF32) {
        return static_cast<float>(value);
    } else {
        const Storage<To> rounded = round_to<Storage<To>>(static_cast<double>(value));
        return Sat == Saturation::kOn ? saturate(rounded) : rounded;
    }
}

}  // namespace ptosim::detail
