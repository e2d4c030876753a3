// Numbers of about 106 bits as unevaluated sums of two doubles, for the rare arguments that a
// double cannot decide. Internal to isa/numeric.
//
// The error-free steps are Knuth's sum and the product by fma; the errors stated are relative.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>

namespace ptosim::detail {

// high + low with |low| at most half the last place of high.
struct DoubleDouble {
    double high;
    double low;
};

// Exact.
inline DoubleDouble exact_sum(double a, double b) {
    const double sum = a + b;
    const double part = sum - a;
    return {sum, (a - (sum - part)) + (b - part)};
}

// Exact, if it neither overflows nor underflows.
inline DoubleDouble exact_product(double a, double b) {
    const double product = a * b;
    return {product, std::fma(a, b, -product)};
}

// Error below 2^-102 of |a| + |b|.
inline DoubleDouble operator+(DoubleDouble a, DoubleDouble b) {
    const DoubleDouble high = exact_sum(a.high, b.high);
    const DoubleDouble low = exact_sum(a.low, b.low);
    const DoubleDouble sum = exact_sum(high.high, high.low + low.high);
    return exact_sum(sum.high, sum.low + low.low);
}

// Error below 2^-101.
inline DoubleDouble operator*(DoubleDouble a, DoubleDouble b) {
    const DoubleDouble high = exact_product(a.high, b.high);
    return exact_sum(high.high, high.low + (a.high * b.low + a.low * b.high));
}

// Error below 2^-101.
inline DoubleDouble operator/(DoubleDouble a, double b) {
    const double quotient = a.high / b;
    const DoubleDouble back = exact_product(quotient, b);
    return exact_sum(quotient, ((a.high - back.high) - back.low + a.low) / b);
}

// The sum rounded to odd: the one double that rounds later on to any narrower format (at least two
// bits fewer) as the sum itself would.
inline double round_to_odd(DoubleDouble a) {
    const DoubleDouble sum = exact_sum(a.high, a.low);
    auto raw = std::bit_cast<uint64_t>(sum.high);
    if (sum.low == 0 || sum.low != sum.low || (raw & 1) != 0) return sum.high;
    // The odd neighbour on the side of `low`: away from zero if both have the same sign.
    raw += (sum.low > 0) == (sum.high > 0) ? 1 : uint64_t{0} - 1;
    return std::bit_cast<double>(raw);
}

}  // namespace ptosim::detail
