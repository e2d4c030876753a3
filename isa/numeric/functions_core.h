// The double approximations that functions.h uses and their error bounds, which functions_test.cpp measures. Internal
// to isa/numeric.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

#include "isa/numeric/function_tables.h"

namespace ptosim::detail {

inline constexpr double kInfinity = std::numeric_limits<double>::infinity();
inline constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

// Relative errors of exp_double() and log_double(), see there, with room to spare.
inline constexpr double kExpError = 0x1p-50;
inline constexpr double kLogError = 0x1p-50;
// Square root and division each round once: (1 + 2^-53)^2 and a hair.
inline constexpr double kRsqrtError = 0x1p-51;

// Adding this rounds to an integer, which is then in the low bits.
inline constexpr double kRoundToInteger = 0x1.8p52;

// condition ? a : b through the bits, because otherwise the compiler would branch around the computation of the operand
// that is not chosen.
inline double choose(bool condition, double a, double b) {
    const uint64_t mask = uint64_t{0} - static_cast<uint64_t>(condition);
    return std::bit_cast<double>((std::bit_cast<uint64_t>(a) & mask) |
                                 (std::bit_cast<uint64_t>(b) & ~mask));
}

// exp(x) within 2^-51.5, without branches; NaN for NaN. Arguments whose result is beyond every 16-
// or 32-bit float are drawn in to where that is still so: exp(+-104.5) = 2^+-150.8.
inline double exp_double(float x) {
    // By way of the bits: a comparison of floats would have the compiler split off the constants.
    constexpr uint32_t kLargest = std::bit_cast<uint32_t>(104.5F);
    const auto raw = std::bit_cast<uint32_t>(x);
    const uint32_t magnitude = raw & 0x7FFFFFFF;
    const uint32_t drawn_in = magnitude < kLargest ? magnitude : kLargest;
    const double y = std::bit_cast<float>(drawn_in | (raw & 0x80000000));
    const double shifted = y * kInverseLn2 + kRoundToInteger;
    const double k = shifted - kRoundToInteger;
    // The first difference is exact. The rest is wrong by less than 2^-55 and |r| < 0.35.
    const double r = (y - k * kLn2High) - k * kLn2Rest;
    const double r2 = r * r;
    const double r4 = r2 * r2;
    const double* c = kExpRest;
    const double low = (c[0] + r * c[1]) + r2 * (c[2] + r * c[3]);
    const double middle = (c[4] + r * c[5]) + r2 * (c[6] + r * c[7]);
    const double high = (c[8] + r * c[9]) + r2 * c[10];
    const double q = low + r4 * (middle + r4 * high);
    // Errors of exp(r) > 0.7: r gives 2^-54.5, r + r2 * q 2^-54, the last sum 2^-53.
    const double exp_r = 1 + (r + r2 * q);
    const auto scale = (std::bit_cast<uint64_t>(shifted) + 1023) << 52;
    return choose(magnitude > 0x7F800000, kNan, exp_r * std::bit_cast<double>(scale));
}

// log(x) within 2^-51.5, without branches; exact for x = 1. x must be positive
// and normal; for others there is some number, never an overflow or a division by zero.
inline double log_double_positive(double x) {
    constexpr auto kSqrtHalf = std::bit_cast<uint64_t>(0x1.6a09e667f3bcdp-1);
    const auto raw = std::bit_cast<uint64_t>(x);
    // x = 2^k * m with m from sqrt(1/2) to sqrt(2); k + 1024 is the exponent field of x / sqrt(1/2)
    // and a little. Becomes a double by way of the bits.
    const uint64_t field = (raw - kSqrtHalf + (uint64_t{1024} << 52)) >> 52;
    const double k = std::bit_cast<double>(std::bit_cast<uint64_t>(kRoundToInteger) + field) -
                     (kRoundToInteger + 1024);
    const double m = std::bit_cast<double>(raw - ((field - 1024) << 52));
    // Both sums are exact for arguments of at most 52 bits.
    const double s = (m - 1) / (m + 1);
    const double z = s * s;
    const double z2 = z * z;
    const double z4 = z2 * z2;
    const double* c = kLogRest;
    const double low = (c[0] + z * c[1]) + z2 * (c[2] + z * c[3]);
    const double high = (c[4] + z * c[5]) + z2 * (c[6] + z * c[7]);
    const double p = low + z4 * (high + z4 * c[8]);
    // For k = 0 the quotient and the sum round once each and z * p < 0.02 adds little; for others
    // the first product is exact, |log(x)| > 0.34, and the last sum rounds once more.
    return k * kLn2High + (2 * s + (s * (z * p) + k * kLn2Rest));
}

// Defined for all x, but NaN for the arguments of log_special().
inline double log_double(float x) {
    const auto raw = std::bit_cast<uint32_t>(x);
    const bool special = raw - 1 >= 0x7F7FFFFF;  // not positive and finite
    return choose(special, kNan, log_double_positive(x));
}

// log(x) for zeros, negative numbers, infinities and NaN.
inline double log_special(float x) {
    if (x == 0) return -kInfinity;
    return x > 0 ? kInfinity : kNan;
}

inline double log_double_any(float x) {
    const double y = log_double(x);
    return y == y ? y : log_special(x);
}

inline double rsqrt_double(float x) { return 1.0 / std::sqrt(static_cast<double>(x)); }

}  // namespace ptosim::detail
