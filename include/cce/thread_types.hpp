// Types that the device's compiler has for threads: sizes of grids, vectors of two to four numbers, pairs.
#pragma once

#include <stdint.h>

struct uint3;
struct dim3 {
    uint32_t x, y, z;
    constexpr dim3(uint32_t x_ = 1, uint32_t y_ = 1, uint32_t z_ = 1) : x{x_}, y{y_}, z{z_} {}  // NOLINT: implicit
    constexpr dim3(const uint3& sizes);                                                        // NOLINT: implicit
};
namespace cce {
using ::dim3;
}

// Vectors of three numbers take the memory of four.
#define PTO_DETAIL_VECTORS(Name_, Type_)              \
    struct alignas(2 * sizeof(Type_)) Name_##2 {      \
        Type_ x, y;                                   \
    };                                                \
    struct alignas(4 * sizeof(Type_) > 16 ? 16 : 4 * sizeof(Type_)) Name_##3 { \
        Type_ x, y, z;                                \
    };                                                \
    struct alignas(4 * sizeof(Type_) > 16 ? 16 : 4 * sizeof(Type_)) Name_##4 { \
        Type_ x, y, z, w;                             \
    };
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
constexpr dim3::dim3(const uint3& sizes) : x{sizes.x}, y{sizes.y}, z{sizes.z} {}

struct alignas(4) half2 {
    half x, y;
};
struct alignas(4) bfloat16x2_t {
    bfloat16_t x, y;
};
struct alignas(2) float8_e4m3x2_t {
    float8_e4m3_t x, y;
};
struct alignas(2) float8_e5m2x2_t {
    float8_e5m2_t x, y;
};
struct alignas(2) hifloat8x2_t {
    hifloat8_t x, y;
};
