// 16-bit floats as f32.
#include "isa/semantics/loop_kinds.h"

namespace ptosim::semantics {

namespace {

constexpr int64_t kLanes = 1024;  // intermediate results stay in the first cache

void round_floats(DType type, const float* from, std::byte* to, int64_t count) {
    if (type == DType::kF16) return narrow(from, reinterpret_cast<Half*>(to), static_cast<int>(count));
    widest([=] {
        for (int64_t i = 0; i < count; ++i) store(to + 2 * i, round_to_bfloat16(from[i]));
    });
}

}  // namespace

void as_floats(DType type, const std::byte* from, float* to, int64_t count) {
    if (type == DType::kF16) return widen(reinterpret_cast<const Half*>(from), to, static_cast<int>(count));
    widest([=] {
        for (int64_t i = 0; i < count; ++i) to[i] = to_float(load<BFloat16>(from + 2 * i));
    });
}

void as_floats(DType type, UnaryLoop loop, const std::byte* a, std::byte* out, int64_t count) {
    alignas(64) float x[kLanes];
    auto* const lanes = reinterpret_cast<std::byte*>(x);
    for (int64_t at = 0; at < count; at += kLanes) {
        const int64_t some = std::min(kLanes, count - at);
        as_floats(type, a + 2 * at, x, some);
        loop(lanes, lanes, some);
        round_floats(type, x, out + 2 * at, some);
    }
}

void as_floats(DType type, BinaryLoop loop, const std::byte* a, const std::byte* b, std::byte* out, int64_t count) {
    alignas(64) float x[kLanes], y[kLanes];
    auto* const lanes = reinterpret_cast<std::byte*>(x);
    for (int64_t at = 0; at < count; at += kLanes) {
        const int64_t some = std::min(kLanes, count - at);
        as_floats(type, a + 2 * at, x, some);
        as_floats(type, b + 2 * at, y, some);
        loop(lanes, reinterpret_cast<const std::byte*>(y), lanes, some);
        round_floats(type, x, out + 2 * at, some);
    }
}

void as_floats(DType type, ElementLoop loop, const std::byte* a, uint64_t element, std::byte* out, int64_t count) {
    alignas(64) float x[kLanes];
    auto* const lanes = reinterpret_cast<std::byte*>(x);
    uint32_t wide = 0;
    const auto lane = static_cast<uint16_t>(element);
    as_floats(type, reinterpret_cast<const std::byte*>(&lane), x, 1);
    std::memcpy(&wide, x, sizeof wide);
    for (int64_t at = 0; at < count; at += kLanes) {
        const int64_t some = std::min(kLanes, count - at);
        as_floats(type, a + 2 * at, x, some);
        loop(lanes, wide, lanes, some);
        round_floats(type, x, out + 2 * at, some);
    }
}

}  // namespace ptosim::semantics
