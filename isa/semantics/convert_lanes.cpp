#include "isa/semantics/convert_lanes.h"

#include <vector>

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

void convert_lanes(Numerics numerics, DType to, void* target, DType from, const void* source,
                   size_t count, RoundMode mode, Saturation saturation) {
    if (to == DType::kF32 && from == DType::kF32) {
        auto* const out = static_cast<std::byte*>(target);
        const auto* const in = static_cast<const std::byte*>(source);
        for (size_t i = 0; i < count; ++i)
            store(out + 4 * i, round_to_integral(load<float>(in + 4 * i), mode));
        return;
    }
    if (!keeps_low_bits(numerics, to, from, saturation))
        return convert_run(to, target, from, source, count, mode, saturation);
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
