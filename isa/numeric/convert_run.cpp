// convert_run(): blocks of elements go through a buffer of floats (or of 64-bit integers), so that
// the number of loops grows with the number of types, not with its square. Each loop is free of
// branches and calls.
#include <algorithm>
#include <cstring>
#include <limits>
#include <utility>

#include "isa/numeric/convert.h"
#include "isa/numeric/convert_fast.h"
#include "isa/numeric/half_lanes.h"
#include "isa/numeric/wide.h"

namespace ptosim {
namespace {

constexpr size_t kBlock = 512;  // elements; even, so that blocks of 4-bit types start at a byte

template <DType Type>
using Tag = std::integral_constant<DType, Type>;

// Calls `function` with a Tag of `type`.
template <typename Function, size_t... Index>
void dispatch(DType type, Function&& function, std::index_sequence<Index...>) {
    (void)((static_cast<size_t>(type) == Index ? (function(Tag<static_cast<DType>(Index)>{}), true)
                                               : false) ||
           ...);
}

template <typename Function>
void dispatch(DType type, Function&& function) {
    dispatch(type, function, std::make_index_sequence<static_cast<size_t>(DType::kCount)>{});
}

// Reads `count` elements that start at `source`, which need not be aligned.
template <DType Type>
void load(const void* source, size_t count, Storage<Type>* elements) {
    if constexpr (bits(Type) == 4) {
        const auto* packed = static_cast<const uint8_t*>(source);
        for (size_t i = 0; i < count; ++i) {
            elements[i] = static_cast<uint8_t>(packed[i / 2] >> (i % 2 * 4) & 0xF);
        }
    } else {
        std::memcpy(elements, source, count * sizeof(Storage<Type>));
    }
}

template <DType Type>
void store(const Storage<Type>* elements, size_t count, void* target) {
    if constexpr (bits(Type) == 4) {
        auto* packed = static_cast<uint8_t*>(target);
        for (size_t i = 0; i + 1 < count; i += 2) {
            packed[i / 2] = static_cast<uint8_t>(elements[i] | elements[i + 1] << 4);
        }
        if (count % 2 != 0) {
            packed[count / 2] =
                static_cast<uint8_t>((packed[count / 2] & 0xF0) | elements[count - 1]);
        }
    } else {
        std::memcpy(target, elements, count * sizeof(Storage<Type>));
    }
}

// The conversion to do, the same for all blocks.
struct Job {
    DType to;
    DType from;
    RoundMode mode;
    Saturation saturation;
};

// Calls `function` with the saturation as a constant.
template <typename Function>
void with_saturation(Saturation saturation, Function&& function) {
    if (saturation == Saturation::kOn) {
        function(std::integral_constant<Saturation, Saturation::kOn>{});
    } else {
        function(std::integral_constant<Saturation, Saturation::kOff>{});
    }
}

// --- Through floats ----------------------------------------------------------------------------

// Reads `count` elements as floats, whose NaNs need not be canonical.
using LoadFloats = void (*)(const void* source, size_t count, float* floats);
// Makes elements of floats, which are integral if the elements are of a wide integer type.
using StoreFloats = void (*)(const float* floats, size_t count, RoundMode mode, void* target);

LoadFloats loader(DType from) {
    LoadFloats result = nullptr;
    dispatch(from, [&](auto tag) {
        constexpr DType kFrom = tag();
        if constexpr (detail::fits_float(kFrom)) {
            result = [](const void* source, size_t count, float* floats) {
                Storage<kFrom> elements[kBlock];
                load<kFrom>(source, count, elements);
                if constexpr (kFrom == DType::kF16)
                    widen(elements, floats, static_cast<int>(count));
                else
                    widest([=, from = &elements[0]] {
                        for (size_t i = 0; i < count; ++i)
                            floats[i] = detail::widen<kFrom>(from[i]);
                    });
            };
        }
    });
    return result;
}

template <RoundMode Mode>
void make_integral(const float* from, float* floats, size_t count) {
    widest([=] {
        for (size_t i = 0; i < count; ++i) floats[i] = detail::integral(from[i], Mode);
    });
}

void make_integral(RoundMode mode, const float* from, float* floats, size_t count) {
    switch (mode) {
        case RoundMode::kNone:
        case RoundMode::kRint:
            return make_integral<RoundMode::kRint>(from, floats, count);
        case RoundMode::kRound:
            return make_integral<RoundMode::kRound>(from, floats, count);
        case RoundMode::kFloor:
            return make_integral<RoundMode::kFloor>(from, floats, count);
        case RoundMode::kCeil:
            return make_integral<RoundMode::kCeil>(from, floats, count);
        case RoundMode::kTrunc:
            return make_integral<RoundMode::kTrunc>(from, floats, count);
        case RoundMode::kOdd:
            return make_integral<RoundMode::kOdd>(from, floats, count);
        case RoundMode::kHybrid:
            return make_integral<RoundMode::kHybrid>(from, floats, count);
    }
}

// Integers of at most 16 bits: integral_to_integer() of the nearest even number.
constexpr bool is_short_integer(DType type) { return is_integer(type) && bits(type) <= 16; }

template <DType To, Saturation Sat>
constexpr Storage<To> nearest_integer(float value) {
    constexpr int32_t kMax = (1 << (bits(To) - (is_signed(To) ? 1 : 0))) - 1;
    constexpr int32_t kMin = is_signed(To) ? -kMax - 1 : 0;
    // Between 2^23 and 2^24 a float's last place is 1: the sum rounds, and its bits count from those of this number on.
    // A value further from 0 than 2^22 gives a count beyond 16 bits.
    constexpr float kZero = 0x1.8p23F;
    constexpr int32_t kZeroBits = std::bit_cast<int32_t>(kZero);
    constexpr auto kHigh = static_cast<float>(kMax), kLow = static_cast<float>(kMin);
    if constexpr (Sat == Saturation::kOn) {
        const float above = value < kLow ? kLow : value;
        const float inside = above > kHigh ? kHigh : above;
        const int32_t count = std::bit_cast<int32_t>(inside + kZero) - kZeroBits;
        return static_cast<Storage<To>>(value == value ? count : 0) & ((1u << bits(To)) - 1);
    } else {
        const uint32_t count =
            std::bit_cast<uint32_t>(value + kZero) - static_cast<uint32_t>(kZeroBits);
        const bool fits = count - static_cast<uint32_t>(kMin) <= uint32_t{kMax - kMin};
        return static_cast<Storage<To>>(
            (fits ? count : static_cast<uint32_t>(is_signed(To) ? kMin : kMax)) &
            ((1u << bits(To)) - 1));
    }
}

// detail::narrow() to nearest even, as round_to_half() does it: loops over it are vectorised.
template <DType To>
constexpr Storage<To> narrow_nearest(float value, Saturation saturation) {
    constexpr const FloatFormat& kFormat = kFloatFormats[static_cast<size_t>(To)];
    constexpr uint32_t kMinBiased = static_cast<uint32_t>(127 + kFormat.min_exponent);
    constexpr uint32_t kDropped = 23u - kFormat.fraction_bits;
    constexpr auto kLargest = static_cast<uint32_t>(kFormat.largest);
    // A float whose last place is the unit of subnormals: the addition rounds.
    constexpr uint32_t kUnit = (kMinBiased + 23u - kFormat.fraction_bits) << 23;

    const uint32_t raw = std::bit_cast<uint32_t>(value);
    const uint32_t magnitude = raw & 0x7FFFFFFFu;
    const uint32_t sign = (raw & 0x80000000u) >> (32u - bits(To));
    const uint32_t even = (magnitude >> kDropped) & 1u;
    const uint32_t normal = ((magnitude + ((1u << (kDropped - 1)) - 1u) + even) >> kDropped) -
                            ((kMinBiased - 1u) << kFormat.fraction_bits);
    const uint32_t subnormal =
        std::bit_cast<uint32_t>(std::bit_cast<float>(magnitude) + std::bit_cast<float>(kUnit)) -
        kUnit;
    uint32_t code = magnitude < kMinBiased << 23 ? subnormal : normal;
    code =
        code > kLargest ? static_cast<uint32_t>(detail::infinity_code(kFormat, saturation)) : code;
    const bool nan = magnitude > 0x7F800000u;
    code = nan ? static_cast<uint32_t>(kFormat.nan) : code;
    const bool has_sign = kFormat.has_nan ? code != kFormat.nan : !nan;
    return from_bits<To>(has_sign ? code | sign : code);
}

template <DType To, Saturation Sat>
Storage<To> to_nearest(float value) {
    if constexpr (To == DType::kF32 || To == DType::kF16 || To == DType::kBF16)
        return detail::float_to_float<To>(value, RoundMode::kRint, Sat);
    else
        return narrow_nearest<To>(value, Sat);
}

// Stores elements directly at their targets; elements of 4 bits are packed.
template <DType To, typename Convert>
void store_each(const float* floats, size_t count, void* target, Convert convert) {
    if constexpr (bits(To) == 4) {
        Storage<To> elements[kBlock];
        widest([=, to = &elements[0]] {
            for (size_t i = 0; i < count; ++i) to[i] = convert(floats[i]);
        });
        store<To>(elements, count, target);
    } else {
        widest([=, to = static_cast<std::byte*>(target)] {
            PTO_INDEPENDENT
            for (size_t i = 0; i < count; ++i) {
                const Storage<To> element = convert(floats[i]);
                std::memcpy(to + i * sizeof element, &element, sizeof element);
            }
        });
    }
}

template <Saturation Sat>
void store_halves(const float* floats, size_t count, void* target) {
    Half buffer[kBlock];
    const bool aligned = reinterpret_cast<uintptr_t>(target) % alignof(Half) == 0;
    Half* const halves = aligned ? static_cast<Half*>(target) : buffer;
    narrow(floats, halves, static_cast<int>(count));
    if constexpr (Sat == Saturation::kOn)
        widest([=] {
            for (size_t i = 0; i < count; ++i) halves[i] = detail::saturate(halves[i]);
        });
    if (!aligned) std::memcpy(target, halves, count * sizeof(Half));
}

template <DType To, Saturation Sat>
void store_floats(const float* floats, size_t count, RoundMode mode, void* target) {
    if constexpr (is_integer(To)) {
        if constexpr (is_short_integer(To))
            if (detail::is_nearest_even(mode))
                return store_each<To>(floats, count, target,
                                      [](float x) { return nearest_integer<To, Sat>(x); });
        store_each<To>(floats, count, target,
                       [](float x) { return detail::integral_to_integer<To, Sat>(x); });
    } else if (!detail::is_nearest_even(mode)) {
        Storage<To> elements[kBlock];
        for (size_t i = 0; i < count; ++i)
            elements[i] = detail::float_to_float<To>(floats[i], mode, Sat);
        store<To>(elements, count, target);
    } else if constexpr (To == DType::kF16) {
        store_halves<Sat>(floats, count, target);
    } else {
        store_each<To>(floats, count, target, [](float x) { return to_nearest<To, Sat>(x); });
    }
}

StoreFloats storer(DType to, Saturation saturation) {
    StoreFloats result = nullptr;
    dispatch(to, [&](auto tag) {
        constexpr DType kTo = tag();
        if constexpr (is_integer(kTo) || kTo == DType::kF32 || detail::is_narrow_float(kTo))
            result = saturation == Saturation::kOn ? store_floats<kTo, Saturation::kOn>
                                                   : store_floats<kTo, Saturation::kOff>;
    });
    return result;
}

void convert_through_floats(const Job& job, const uint8_t* source, size_t count, uint8_t* target) {
    const LoadFloats load_floats = loader(job.from);
    const StoreFloats store_floats = storer(job.to, job.saturation);
    const bool integral = is_integer(job.to) && !(is_short_integer(job.to) &&
                                                  detail::is_nearest_even(job.mode));
    const bool in_place = job.from == DType::kF32 &&
                          reinterpret_cast<uintptr_t>(source) % alignof(float) == 0;
    float buffer[kBlock];
    for (size_t done = 0; done < count; done += kBlock) {
        const size_t block = std::min(kBlock, count - done);
        const auto* const from = source + bytes(job.from, done);
        const float* floats = buffer;
        if (in_place)
            floats = reinterpret_cast<const float*>(from);
        else
            load_floats(from, block, buffer);
        if (integral) {
            make_integral(job.mode, floats, buffer, block);
            floats = buffer;
        }
        store_floats(floats, block, job.mode, target + bytes(job.to, done));
    }
}

// --- Through 64-bit integers -------------------------------------------------------------------

void load_integers(const Job& job, const void* source, size_t count, int64_t* integers) {
    constexpr auto kMax = std::numeric_limits<int64_t>::max();
    dispatch(job.from, [&](auto tag) {
        constexpr DType kFrom = tag();
        if constexpr (is_integer(kFrom)) {
            Storage<kFrom> elements[kBlock];
            load<kFrom>(source, count, elements);
            for (size_t i = 0; i < count; ++i) {
                integers[i] =
                    detail::fast_convert<DType::kI64, kFrom, RoundMode::kRint, Saturation::kOff>(
                        elements[i]);
            }
            // A value that does not fit here clamps to the same value from the largest that does. (u64 to u64 does not
            // come this way.)
            if (kFrom == DType::kU64 && job.saturation == Saturation::kOn) {
                for (size_t i = 0; i < count; ++i) {
                    integers[i] = integers[i] < 0 ? kMax : integers[i];
                }
            }
        }
    });
}

void convert_through_integers(const Job& job, const void* source, size_t count, void* target) {
    int64_t integers[kBlock];
    load_integers(job, source, count, integers);
    dispatch(job.to, [&](auto tag) {
        constexpr DType kTo = tag();
        if constexpr (is_integer(kTo)) {
            with_saturation(job.saturation, [&](auto saturation) {
                Storage<kTo> elements[kBlock];
                for (size_t i = 0; i < count; ++i) {
                    elements[i] = detail::integer_to_integer<kTo, saturation()>(integers[i]);
                }
                store<kTo>(elements, count, target);
            });
        }
    });
}

// --- The rest ----------------------------------------------------------------------------------

// Integers of 32 and 64 bits to floats, to nearest even.
void convert_wide_integers(const Job& job, const void* source, size_t count, void* target) {
    dispatch(job.from, [&](auto from) {
        dispatch(job.to, [&](auto to) {
            constexpr DType kFrom = from();
            constexpr DType kTo = to();
            if constexpr (detail::has_wide_integer_convert(kTo, kFrom)) {
                with_saturation(job.saturation, [&](auto saturation) {
                    Storage<kFrom> elements[kBlock];
                    Storage<kTo> results[kBlock];
                    load<kFrom>(source, count, elements);
                    for (size_t i = 0; i < count; ++i) {
                        results[i] =
                            convert<kTo, kFrom, RoundMode::kRint, saturation()>(elements[i]);
                    }
                    store<kTo>(results, count, target);
                });
            }
        });
    });
}

void convert_plainly(const Job& job, const void* source, size_t count, void* target) {
    uint64_t words[kBlock];
    dispatch(job.from, [&](auto tag) {
        constexpr DType kFrom = tag();
        Storage<kFrom> elements[kBlock];
        load<kFrom>(source, count, elements);
        for (size_t i = 0; i < count; ++i) words[i] = to_bits<kFrom>(elements[i]);
    });
    for (size_t i = 0; i < count; ++i) {
        words[i] = convert_bits(job.to, job.from, words[i], job.mode, job.saturation);
    }
    dispatch(job.to, [&](auto tag) {
        constexpr DType kTo = tag();
        Storage<kTo> elements[kBlock];
        for (size_t i = 0; i < count; ++i) elements[i] = from_bits<kTo>(words[i]);
        store<kTo>(elements, count, target);
    });
}

using BlockConversion = void (*)(const Job&, const void*, size_t, void*);

BlockConversion choose(const Job& job) {
    if (is_integer(job.from) && is_integer(job.to)) {
        return job.from == job.to ? convert_plainly : convert_through_integers;
    }
    if (detail::has_wide_integer_convert(job.to, job.from) && detail::is_nearest_even(job.mode)) {
        return convert_wide_integers;
    }
    return convert_plainly;
}

bool goes_through_floats(const Job& job) {
    const bool known_target =
        is_integer(job.to) || job.to == DType::kF32 || detail::is_narrow_float(job.to);
    return detail::fits_float(job.from) && known_target &&
           !(is_integer(job.from) && is_integer(job.to));
}

}  // namespace

void convert_run(DType to, void* target, DType from, const void* source, size_t count,
                 RoundMode mode, Saturation saturation) {
    const Job job{to, from, mode, saturation};
    const auto* in = static_cast<const uint8_t*>(source);
    auto* out = static_cast<uint8_t*>(target);
    if (goes_through_floats(job)) return convert_through_floats(job, in, count, out);
    const BlockConversion convert_block = choose(job);
    for (size_t done = 0; done < count; done += kBlock) {
        const size_t block = std::min(kBlock, count - done);
        convert_block(job, in + bytes(from, done), block, out + bytes(to, done));
    }
}

}  // namespace ptosim
