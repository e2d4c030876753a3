// Makes the loops of isa/semantics/loops.h from functions of one lane. Functions are types without members, e.g. those
// of lambdas without captures, so that a loop needs no more than its lanes.
#pragma once

#include <algorithm>

#include "isa/numeric/half_lanes.h"
#include "isa/numeric/wide.h"
#include "isa/semantics/arithmetic.h"
#include "isa/semantics/loops.h"

namespace ptosim::semantics {

// Types whose loops are worth compiling for every width of vectors.
template <typename T>
inline constexpr bool is_hot_v = is_float_v<T> || sizeof(T) == 4;

// Calls f(offset of a lane in bytes).
template <typename T, bool kWidest = is_hot_v<T>, typename F>
void for_lanes(int64_t count, F f) {
    const auto loop = [=] {
        PTO_INDEPENDENT
        for (int64_t i = 0; i < count; ++i) f(i * static_cast<int64_t>(sizeof(T)));
    };
    if constexpr (kWidest)
        widest(loop);
    else
        loop();
}

template <typename T, typename F, bool kWidest = is_hot_v<T>>
void unary_loop(const std::byte* a, std::byte* out, int64_t count) {
    for_lanes<T, kWidest>(count, [=](int64_t at) { store<T>(out + at, F{}(load<T>(a + at))); });
}
template <typename T, typename F, bool kWidest = is_hot_v<T>>
void binary_loop(const std::byte* a, const std::byte* b, std::byte* out, int64_t count) {
    for_lanes<T, kWidest>(count, [=](int64_t at) { store<T>(out + at, F{}(load<T>(a + at), load<T>(b + at))); });
}
template <typename T, typename F, bool kWidest = is_hot_v<T>>
void element_loop(const std::byte* a, uint64_t element, std::byte* out, int64_t count) {
    const T b = from_bits<dtype_of<T>()>(element);
    for_lanes<T, kWidest>(count, [=](int64_t at) { store<T>(out + at, F{}(load<T>(a + at), b)); });
}
template <typename T, typename F, bool kWidest = is_hot_v<T>>
void ternary_loop(const std::byte* a, const std::byte* b, const std::byte* c, std::byte* out, int64_t count) {
    for_lanes<T, kWidest>(count, [=](int64_t at) {
        store<T>(out + at, F{}(load<T>(a + at), load<T>(b + at), load<T>(c + at)));
    });
}

// The values of 16-bit floats, exactly.
void as_floats(DType type, const std::byte* from, float* to, int64_t count);
// Functions of 16-bit floats, computed in f32 and rounded once more, which gives the same bits for one operation
// (isa/numeric/arithmetic.h).
void as_floats(DType type, UnaryLoop loop, const std::byte* a, std::byte* out, int64_t count);
void as_floats(DType type, BinaryLoop loop, const std::byte* a, const std::byte* b, std::byte* out, int64_t count);
void as_floats(DType type, ElementLoop loop, const std::byte* a, uint64_t element, std::byte* out, int64_t count);

template <DType kType, UnaryLoop kLoop>
void unary_as_floats(const std::byte* a, std::byte* out, int64_t count) {
    as_floats(kType, kLoop, a, out, count);
}
template <DType kType, BinaryLoop kLoop>
void binary_as_floats(const std::byte* a, const std::byte* b, std::byte* out, int64_t count) {
    as_floats(kType, kLoop, a, b, out, count);
}
template <DType kType, ElementLoop kLoop>
void element_as_floats(const std::byte* a, uint64_t element, std::byte* out, int64_t count) {
    as_floats(kType, kLoop, a, element, out, count);
}
template <HalfOperation kOperation>
void half_loop(const std::byte* a, const std::byte* b, std::byte* out, int64_t count) {
    compute(kOperation, reinterpret_cast<const Half*>(a), reinterpret_cast<const Half*>(b),
            reinterpret_cast<Half*>(out), count);
}

// f for each integer type; with kWrapping one loop for both types of a width, because the bits are the same.
template <bool kWrapping, typename F>
constexpr void set_integers(UnaryLoops& loops, F) {
    loops.set(DType::kU8, &unary_loop<uint8_t, F>);
    loops.set(DType::kU16, &unary_loop<uint16_t, F>);
    loops.set(DType::kU32, &unary_loop<uint32_t, F>);
    loops.set(DType::kU64, &unary_loop<uint64_t, F>);
    loops.set(DType::kI8, &unary_loop<std::conditional_t<kWrapping, uint8_t, int8_t>, F>);
    loops.set(DType::kI16, &unary_loop<std::conditional_t<kWrapping, uint16_t, int16_t>, F>);
    loops.set(DType::kI32, &unary_loop<std::conditional_t<kWrapping, uint32_t, int32_t>, F>);
    loops.set(DType::kI64, &unary_loop<std::conditional_t<kWrapping, uint64_t, int64_t>, F>);
}
template <bool kWrapping, bool kWithElement = false, typename F>
constexpr void set_integers(BinaryLoops& loops, F) {
    const auto set = [&loops]<typename Signed, typename Unsigned>(DType one, DType other, Signed, Unsigned) {
        using T = std::conditional_t<kWrapping, Unsigned, Signed>;
        loops.set(one, &binary_loop<T, F>);
        loops.set(other, &binary_loop<Unsigned, F>);
        if constexpr (kWithElement) {
            loops.set_with_element(one, &element_loop<T, F>);
            loops.set_with_element(other, &element_loop<Unsigned, F>);
        }
    };
    set(DType::kI8, DType::kU8, int8_t{}, uint8_t{});
    set(DType::kI16, DType::kU16, int16_t{}, uint16_t{});
    set(DType::kI32, DType::kU32, int32_t{}, uint32_t{});
    set(DType::kI64, DType::kU64, int64_t{}, uint64_t{});
}

// f of f32, and of 16-bit floats as such.
template <typename F>
constexpr void set_floats(UnaryLoops& loops, F) {
    constexpr UnaryLoop kFloat = &unary_loop<float, F>;
    loops.set(DType::kF32, kFloat);
    loops.set(DType::kF16, &unary_as_floats<DType::kF16, kFloat>);
    loops.set(DType::kBF16, &unary_as_floats<DType::kBF16, kFloat>);
}
template <typename F>
constexpr void set_floats(BinaryLoops& loops, F) {
    constexpr BinaryLoop kFloat = &binary_loop<float, F>;
    loops.set(DType::kF32, kFloat);
    loops.set(DType::kF16, &binary_as_floats<DType::kF16, kFloat>);
    loops.set(DType::kBF16, &binary_as_floats<DType::kBF16, kFloat>);
}
// bf16 without the steps between, and one element for all floats.
template <typename F>
constexpr void set_direct(BinaryLoops& loops, F) {
    loops.set(DType::kBF16, &binary_loop<BFloat16, F>);
    constexpr ElementLoop kFloat = &element_loop<float, F>;
    loops.set_with_element(DType::kF32, kFloat);
    loops.set_with_element(DType::kF16, &element_as_floats<DType::kF16, kFloat>);
    loops.set_with_element(DType::kBF16, &element_loop<BFloat16, F>);
}

}  // namespace ptosim::semantics
