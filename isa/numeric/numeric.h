// From a DType to the C++ type that holds one element, for kernels written as templates.
#pragma once

#include <bit>
#include <cstdint>
#include <type_traits>

#include "isa/numeric/dtype.h"
#include "isa/numeric/floats.h"

namespace ptosim {

// Numeric<T>::Storage holds one element: float, Half, BFloat16, the integer types; raw bits (uint8_t, uint32_t) for
// formats without arithmetic. 4-bit elements are in the low nibble.
template <DType Type>
struct Numeric;

template <typename T>
struct NumericStorage {
    using Storage = T;
};

template <>
struct Numeric<DType::kF32> : NumericStorage<float> {};
template <>
struct Numeric<DType::kF16> : NumericStorage<Half> {};
template <>
struct Numeric<DType::kBF16> : NumericStorage<BFloat16> {};
template <>
struct Numeric<DType::kTF32> : NumericStorage<uint32_t> {};
template <>
struct Numeric<DType::kHF32> : NumericStorage<uint32_t> {};
template <>
struct Numeric<DType::kE4M3> : NumericStorage<uint8_t> {};
template <>
struct Numeric<DType::kE5M2> : NumericStorage<uint8_t> {};
template <>
struct Numeric<DType::kE8M0> : NumericStorage<uint8_t> {};
template <>
struct Numeric<DType::kHIF8> : NumericStorage<uint8_t> {};
template <>
struct Numeric<DType::kE2M1> : NumericStorage<uint8_t> {};
template <>
struct Numeric<DType::kE1M2> : NumericStorage<uint8_t> {};
template <>
struct Numeric<DType::kI4> : NumericStorage<uint8_t> {};
template <>
struct Numeric<DType::kI8> : NumericStorage<int8_t> {};
template <>
struct Numeric<DType::kU8> : NumericStorage<uint8_t> {};
template <>
struct Numeric<DType::kI16> : NumericStorage<int16_t> {};
template <>
struct Numeric<DType::kU16> : NumericStorage<uint16_t> {};
template <>
struct Numeric<DType::kI32> : NumericStorage<int32_t> {};
template <>
struct Numeric<DType::kU32> : NumericStorage<uint32_t> {};
template <>
struct Numeric<DType::kI64> : NumericStorage<int64_t> {};
template <>
struct Numeric<DType::kU64> : NumericStorage<uint64_t> {};

template <DType Type>
using Storage = typename Numeric<Type>::Storage;

// The element's bits in the low end of a word, upper bits 0, and back.
template <DType Type>
constexpr uint64_t to_bits(Storage<Type> value) {
    using T = Storage<Type>;
    if constexpr (std::is_same_v<T, float>) {
        return std::bit_cast<uint32_t>(value);
    } else if constexpr (std::is_same_v<T, Half> || std::is_same_v<T, BFloat16>) {
        return value.bits;
    } else {
        return static_cast<std::make_unsigned_t<T>>(value) & (~uint64_t{0} >> (64 - bits(Type)));
    }
}

template <DType Type>
constexpr Storage<Type> from_bits(uint64_t raw) {
    using T = Storage<Type>;
    if constexpr (std::is_same_v<T, float>) {
        return std::bit_cast<float>(static_cast<uint32_t>(raw));
    } else if constexpr (std::is_same_v<T, Half> || std::is_same_v<T, BFloat16>) {
        return {static_cast<uint16_t>(raw)};
    } else {
        return static_cast<T>(raw);
    }
}

}  // namespace ptosim
