// Sums and products of numbers from a kernel. Its sizes, strides and offsets may be any 64-bit number: overflow is
// detected instead of wrapping around to a small number.
#pragma once

#include <cstdint>
#include <optional>

namespace ptosim {

constexpr std::optional<int64_t> checked_add(int64_t a, int64_t b) {
    int64_t sum = 0;
    if (__builtin_add_overflow(a, b, &sum)) return std::nullopt;
    return sum;
}

constexpr std::optional<int64_t> checked_multiply(int64_t a, int64_t b) {
    int64_t product = 0;
    if (__builtin_mul_overflow(a, b, &product)) return std::nullopt;
    return product;
}

// For extents, which are not negative: the largest number if the product exceeds it.
constexpr int64_t saturating_product(int64_t a, int64_t b) {
    return checked_multiply(a, b).value_or(INT64_MAX);
}

}  // namespace ptosim
