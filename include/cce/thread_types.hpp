// Types that the device's compiler has for threads: sizes of grids, vectors of two to four numbers, pairs.
#pragma once

#include <stdint.h>

#include <type_traits>

struct uint3;
struct dim3 {
    uint32_t x, y, z;
    constexpr dim3(uint32_t x_ = 1, uint32_t y_ = 1, uint32_t z_ = 1) : x{x_}, y{y_}, z{z_} {}  // NOLINT: implicit
    // Other types do not convert to sizes here: dim3({x, y}) has two numbers.
    template <class Sizes_, class = std::enable_if_t<std::is_same_v<Sizes_, uint3>>>
    constexpr dim3(const Sizes_& sizes) : x{sizes.x}, y{sizes.y}, z{sizes.z} {}  // NOLINT: implicit
};
namespace cce {
using ::dim3;
}

// Vectors of three numbers take the memory of four. Libraries also read the numbers by their index.
#define PTO_DETAIL_VECTOR(Name_, Type_, Numbers_, Places_, ...)                                              \
    struct alignas(Places_ * sizeof(Type_) > 16 ? 16 : Places_ * sizeof(Type_)) Name_ {                     \
        Type_ __VA_ARGS__;                                                                                  \
        constexpr Type_& operator[](int i) { return *pto::ptosim_detail::number_of<Numbers_>(*this, i); }   \
        constexpr const Type_& operator[](int i) const { return *pto::ptosim_detail::number_of<Numbers_>(*this, i); } \
    };
#define PTO_DETAIL_VECTORS(Name_, Type_)             \
    PTO_DETAIL_VECTOR(Name_##1, Type_, 1, 1, x)      \
    PTO_DETAIL_VECTOR(Name_##2, Type_, 2, 2, x, y)   \
    PTO_DETAIL_VECTOR(Name_##3, Type_, 3, 4, x, y, z) \
    PTO_DETAIL_VECTOR(Name_##4, Type_, 4, 4, x, y, z, w)
namespace pto::ptosim_detail {
template <int Numbers_, class Vector_>
constexpr auto number_of(Vector_& vector, int i) -> decltype(&vector.x) {
    if constexpr (Numbers_ > 3)
        if (i == 3) return &vector.w;
    if constexpr (Numbers_ > 2)
        if (i == 2) return &vector.z;
    if constexpr (Numbers_ > 1)
        if (i == 1) return &vector.y;
    return &vector.x;
}
}  // namespace pto::ptosim_detail
PTO_DETAIL_VECTORS(char, signed char)
PTO_DETAIL_VECTORS(uchar, unsigned char)
PTO_DETAIL_VECTORS(short, short)
PTO_DETAIL_VECTORS(ushort, unsigned short)
PTO_DETAIL_VECTORS(int, int)
PTO_DETAIL_VECTORS(uint, unsigned)
PTO_DETAIL_VECTORS(long, long)
PTO_DETAIL_VECTORS(ulong, unsigned long)
PTO_DETAIL_VECTORS(longlong, long long)
PTO_DETAIL_VECTORS(ulonglong, unsigned long long)
PTO_DETAIL_VECTORS(float, float)
#undef PTO_DETAIL_VECTORS

PTO_DETAIL_VECTOR(half2, half, 2, 2, x, y)
PTO_DETAIL_VECTOR(bfloat16x2_t, bfloat16_t, 2, 2, x, y)
PTO_DETAIL_VECTOR(float8_e4m3x2_t, float8_e4m3_t, 2, 2, x, y)
PTO_DETAIL_VECTOR(float8_e5m2x2_t, float8_e5m2_t, 2, 2, x, y)
PTO_DETAIL_VECTOR(hifloat8x2_t, hifloat8_t, 2, 2, x, y)
#undef PTO_DETAIL_VECTOR
