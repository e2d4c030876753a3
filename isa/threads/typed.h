// Numbers of lanes and of atomic operations by their types.
#pragma once

#include <bit>
#include <cstdint>
#include <cstring>
#include <type_traits>

#include "isa/numeric/arithmetic.h"
#include "isa/numeric/dtype.h"
#include "isa/numeric/floats.h"

namespace ptosim {

template <class T>
T from_low_bits(uint64_t bits) {
    T value;
    std::memcpy(&value, &bits, sizeof(T));  // hosts are little-endian
    return value;
}
template <class T>
uint64_t low_bits(T value) {
    uint64_t bits = 0;
    std::memcpy(&bits, &value, sizeof(T));
    return bits;
}

// Calls function(value of the type); false if the type is not one of 32 or 64 bits, half or bf16.
template <class F>
bool with_thread_type(DType type, F&& function) {
    switch (type) {
        case DType::kF32: function(float{}); return true;
        case DType::kF16: function(Half{}); return true;
        case DType::kBF16: function(BFloat16{}); return true;
        case DType::kI32: function(int32_t{}); return true;
        case DType::kU32: function(uint32_t{}); return true;
        case DType::kI64: function(int64_t{}); return true;
        case DType::kU64: function(uint64_t{}); return true;
        default: return false;
    }
}

template <class T>
T sum_of(T a, T b) {
    if constexpr (std::is_integral_v<T>)
        return static_cast<T>(static_cast<std::make_unsigned_t<T>>(a) + static_cast<std::make_unsigned_t<T>>(b));
    else
        return add(a, b);
}
template <class T>
T difference_of(T a, T b) {
    if constexpr (std::is_integral_v<T>)
        return static_cast<T>(static_cast<std::make_unsigned_t<T>>(a) - static_cast<std::make_unsigned_t<T>>(b));
    else
        return sub(a, b);
}
template <class T>
T greater_of(T a, T b) {
    if constexpr (std::is_integral_v<T>)
        return a > b ? a : b;
    else
        return max_num(a, b);
}
template <class T>
T lesser_of(T a, T b) {
    if constexpr (std::is_integral_v<T>)
        return a < b ? a : b;
    else
        return min_num(a, b);
}

}  // namespace ptosim
