// convert_run(): blocks of elements go through a buffer of floats (or of 64-bit integers), so that
// the number of loops grows with the number of types, not with its square. Each loop is free of
// branches and calls.
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

// What to convert, the same for all blocks.
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

void load_floats(DType from, const void* source, size_t count, float* floats) {
    dispatch(from, [&](auto tag) {
        constexpr DType kFrom = tag();
        if constexpr (detail::fits_float(kFrom)) {
            Storage<kFrom> elements[kBlock];
            load<kFrom>(source, count, elements);
            if constexpr (kFrom == DType::kF16) {
                widen(elements, floats, static_cast<int>(count));
                widest([=] {
                    for (size_t i = 0; i < count; ++i) floats[i] = canonical(floats[i]);
                });
            } else {
                widest([=, from = &elements[0]] {
                    for (size_t i = 0; i < count; ++i) floats[i] = detail::widen<kFrom>(from[i]);
                });
            }
        }
    });
}

template <RoundMode Mode>
void make_integral(float* floats, size_t count) {
    widest([=] {
        for (size_t i = 0; i < count; ++i) floats[i] = detail::integral(floats[i], Mode);
    });
}

void make_integral(RoundMode mode, float* floats, size_t count) {
    switch (mode) {
        case RoundMode::kNone:
        case RoundMode::kRint:
            return make_integral<RoundMode::kRint>(floats, count);
        case RoundMode::kRound:
            return make_integral<RoundMode::kRound>(floats, count);
        case RoundMode::kFloor:
            return make_integral<RoundMode::kFloor>(floats, count);
        case RoundMode::kCeil:
            return make_integral<RoundMode::kCeil>(floats, count);
        case RoundMode::kTrunc:
            return make_integral<RoundMode::kTrunc>(floats, count);
        case RoundMode::kOdd:
            return make_integral<RoundMode::kOdd>(floats, count);
        case RoundMode::kHybrid:
            return make_integral<RoundMode::kHybrid>(floats, count);
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
    const uint32_t signed_code = code | sign;
    const bool unsigned_nan = detail::both(kFormat.has_nan, code == kFormat.nan);
    return from_bits<To>((int{nan} | int{unsigned_nan}) != 0 ? code : signed_code);
}

template <DType To, Saturation Sat>
Storage<To> to_nearest(float value) {
    if constexpr (To == DType::kF32 || To == DType::kF16 || To == DType::kBF16)
        return detail::float_to_float<To>(value, RoundMode::kRint, Sat);
    else
        return narrow_nearest<To>(value, Sat);
}

template <DType To, Saturation Sat>
void store_floats(const float* floats, size_t count, RoundMode mode, void* target) {
    Storage<To> elements[kBlock];
    if constexpr (is_integer(To)) {
        widest([=, to = &elements[0]] {
            for (size_t i = 0; i < count; ++i)
                to[i] = detail::integral_to_integer<To, Sat>(floats[i]);
        });
    } else if (detail::is_nearest_even(mode)) {
        widest([=, to = &elements[0]] {
            for (size_t i = 0; i < count; ++i) to[i] = to_nearest<To, Sat>(floats[i]);
        });
    } else {
        for (size_t i = 0; i < count; ++i) {
            elements[i] = detail::float_to_float<To>(floats[i], mode, Sat);
        }
    }
    store<To>(elements, count, target);
}

void convert_through_floats(const Job& job, const void* source, size_t count, void* target) {
    float floats[kBlock];
    load_floats(job.from, source, count, floats);
    if (is_integer(job.to)) make_integral(job.mode, floats, count);
    dispatch(job.to, [&](auto tag) {
        constexpr DType kTo = tag();
        if constexpr (is_integer(kTo) || kTo == DType::kF32 || detail::is_narrow_float(kTo)) {
            with_saturation(job.saturation, [&](auto saturation) {
                store_floats<kTo, saturation()>(floats, count, job.mode, target);
            });
        }
    });
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
            // What does not fit here clamps to the same value from the largest that does. (u64 to
            // u64 does not come this way.)
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
    const bool known_target =
        is_integer(job.to) || job.to == DType::kF32 || detail::is_narrow_float(job.to);
    if (detail::fits_float(job.from) && known_target) return convert_through_floats;
    if (detail::has_wide_integer_convert(job.to, job.from) && detail::is_nearest_even(job.mode)) {
        return convert_wide_integers;
    }
    return convert_plainly;
}

}  // namespace

void convert_run(DType to, void* target, DType from, const void* source, size_t count,
                 RoundMode mode, Saturation saturation) {
    const Job job{to, from, mode, saturation};
    const BlockConversion convert_block = choose(job);
    const auto* in = static_cast<const uint8_t*>(source);
    auto* out = static_cast<uint8_t*>(target);
    for (size_t done = 0; done < count; done += kBlock) {
        const size_t block = count - done < kBlock ? count - done : kBlock;
        convert_block(job, in + bytes(from, done), block, out + bytes(to, done));
    }
}

}  // namespace ptosim
