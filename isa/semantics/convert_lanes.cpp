#include "isa/semantics/convert_lanes.h"

#include <vector>

#include "isa/numeric/formats.h"
#include "isa/semantics/lanes.h"

namespace ptosim::semantics {

bool holds_all(DType to, DType from) {
    if (to == from) return true;
    return !is_integer(to) && !is_integer(from) &&
           (to == DType::kF32 || (to == DType::kBF16 && from != DType::kF32));
}

bool keeps_low_bits(Numerics numerics, DType to, DType from, Saturation saturation) {
    return numerics != Numerics::kIEEE && saturation == Saturation::kOff && is_integer(to) &&
           bits(to) <= 16 && !is_integer(from);
}

namespace {

// f32 to f32: whole numbers, among which a2a3 has no -0 (profile rule whole-numbers-without-minus-zero).
void round_lanes(Numerics numerics, std::byte* out, const std::byte* in, size_t count,
                 RoundMode mode) {
    const bool drops_sign = numerics == Numerics::kA2A3;
    for (size_t i = 0; i < count; ++i) {
        const float whole = round_to_integral(load<float>(in + 4 * i), mode);
        store(out + 4 * i, drops_sign && whole == 0.0F ? 0.0F : whole);
    }
}

// A NaN that a5 saturates is 0 (profile rule saturated-nan-is-zero); e8m0 is not saturated.
void drop_nan(DType to, std::byte* lanes, size_t count) {
    const uint64_t nan = float_format(to).nan;
    visit_bits(to, [&](auto type) {
        using T = decltype(type);
        for (size_t i = 0; i < bytes(to, count) / sizeof(T); ++i)
            if (load<T>(lanes + i * sizeof(T)) == static_cast<T>(nan))
                store(lanes + i * sizeof(T), T{0});
    });
}
bool drops_nan(Numerics numerics, DType to, DType from, Saturation saturation) {
    return is_a5(numerics) && saturation == Saturation::kOn && !is_integer(from) &&
           !is_integer(to) && bits(to) >= 8 && to != DType::kE8M0;
}

}  // namespace

void convert_lanes(Numerics numerics, DType to, void* target, DType from, const void* source,
                   size_t count, RoundMode mode, Saturation saturation) {
    if (to == DType::kF32 && from == DType::kF32)
        return round_lanes(numerics, static_cast<std::byte*>(target),
                           static_cast<const std::byte*>(source), count, mode);
    if (!keeps_low_bits(numerics, to, from, saturation)) {
        convert_run(to, target, from, source, count, mode, saturation);
        if (drops_nan(numerics, to, from, saturation))
            drop_nan(to, static_cast<std::byte*>(target), count);
        return;
    }
    alignas(64) std::byte whole[kChunk * 4];
    const auto* in = static_cast<const std::byte*>(source);
    auto* out = static_cast<std::byte*>(target);
    for (size_t done = 0; done < count; done += kChunk) {
        const size_t lanes = std::min<size_t>(kChunk, count - done);
        convert_run(DType::kI32, whole, from, in, lanes, mode, Saturation::kOn);
        convert_run(to, out, DType::kI32, whole, lanes, mode, Saturation::kOff);
        in += bytes(from, lanes);
        out += bytes(to, lanes);
    }
}

}  // namespace ptosim::semantics
