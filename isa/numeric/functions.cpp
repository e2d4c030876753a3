// How: a double of known error, then a rounding test (Ziv). If the two ends of the error interval
// round to the same float, so does the exact value; otherwise the function is computed again to
// about 94 bits and rounded from there. That happens for 8 arguments of exp and 46 of log, and no
// float's exp or log lies nearer than 2^-58, relatively, to a midpoint of two floats;
// exhaustive_f32.cpp confirms every result. The 16-bit types need no test: their arguments are
// few enough that functions_test.cpp looks at each.
#include "isa/numeric/functions.h"

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

#include "isa/numeric/double_double.h"
#include "isa/numeric/function_tables.h"

namespace ptosim {
namespace {

using detail::DoubleDouble;
using namespace detail;  // the constants of function_tables.h

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

// Relative errors of exp_double() and log_double(), see there, with room to spare.
constexpr double kExpError = 0x1p-50;
constexpr double kLogError = 0x1p-50;
// Square root and division each round once: (1 + 2^-53)^2 and a hair.
constexpr double kRsqrtError = 0x1p-51;

// Adding this rounds to an integer, which then stands in the low bits.
constexpr double kRoundToInteger = 0x1.8p52;

// condition ? a : b by way of the bits, as the compiler would otherwise branch around whatever
// computes the operand that is not chosen.
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
    // Of exp(r) > 0.7: r gives 2^-54.5, r + r2 * q 2^-54, the last sum 2^-53.
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

// The same for all x, but NaN for the arguments that log_special() is for.
inline double log_double(float x) {
    const auto raw = std::bit_cast<uint32_t>(x);
    const bool special = raw - 1 >= 0x7F7FFFFF;  // not positive and finite
    return choose(special, kNan, log_double_positive(x));
}

// log(x) for zeros, negative numbers, infinities and NaN.
double log_special(float x) {
    if (x == 0) return -kInfinity;
    return x > 0 ? kInfinity : kNan;
}

double log_double_any(float x) {
    const double y = log_double(x);
    return y == y ? y : log_special(x);
}

inline double rsqrt_double(float x) { return 1 / std::sqrt(static_cast<double>(x)); }

// exp(x) within 2^-94, |x| < 150, for any double x.
DoubleDouble exp_exactly(double x) {
    const double k = (x * kInverseLn2 + kRoundToInteger) - kRoundToInteger;
    DoubleDouble r = exact_sum(x - k * kLn2High, -(k * kLn2Middle));
    r = r + exact_product(-k, kLn2Low);
    // exp(r / 2^8)^(2^8); |r / 2^8| < 0.0014, so ten terms leave 2^-119.
    constexpr int kHalvings = 8;
    const double shrink = 1.0 / (1 << kHalvings);
    r = {r.high * shrink, r.low * shrink};
    DoubleDouble sum = {1, 0};
    for (int n = 10; n > 0; --n) sum = DoubleDouble{1, 0} + sum * r / n;
    for (int i = 0; i < kHalvings; ++i) sum = sum * sum;
    const double scale =
        std::bit_cast<double>(static_cast<uint64_t>(static_cast<int64_t>(k) + 1023) << 52);
    return {sum.high * scale, sum.low * scale};
}

// One step of Newton's iteration from y, which is log(x) within 2^-50 of itself: with
// d = x exp(-y) - 1, log(x) = y + d - d^2 / 2 + d^3 / 3, |d| < 2^-43. Absolute error below 2^-93.
DoubleDouble log_exactly(double x, double y) {
    const DoubleDouble d = DoubleDouble{x, 0} * exp_exactly(-y) + DoubleDouble{-1, 0};
    return DoubleDouble{y, 0} + (d + exact_product(d.high, -0.5 * d.high));
}

// Which of two neighbouring floats is nearer to 1 / sqrt(x)? Never a tie: the midpoint has 25 bits,
// and the square root of such a number's reciprocal would need as many in x.
float nearer_rsqrt(float x, float below, float above) {
    const double midpoint = (static_cast<double>(below) + static_cast<double>(above)) / 2;
    // midpoint^2 x against 1: the square is exact in a double.
    const DoubleDouble product = exact_product(midpoint * midpoint, x);
    return (product.high - 1) + product.low < 0 ? above : below;
}

struct Ends {
    float below;
    float above;
};

// Both ends of the interval around y, rounded. Equal unless the error may matter; NaN compares as
// different from itself and infinities give NaN, which the callers expect.
inline Ends rounded_ends(double y, double error) {
    const double width = y * error;
    return {static_cast<float>(y - width), static_cast<float>(y + width)};
}

[[gnu::noinline, gnu::cold]] float exp_undecided(float x) {
    if (x != x) return canonical(x);
    return static_cast<float>(round_to_odd(exp_exactly(x)));
}

[[gnu::noinline, gnu::cold]] float log_undecided(float x, double y) {
    if (y != y) return round_to_float(log_special(x));
    return static_cast<float>(round_to_odd(log_exactly(x, y)));
}

[[gnu::noinline, gnu::cold]] float rsqrt_undecided(float x, double y) {
    if (y != y || y == -kInfinity || y == kInfinity) return round_to_float(y);
    const Ends ends = rounded_ends(y, kRsqrtError);
    return nearer_rsqrt(x, ends.below, ends.above);
}

// Blocks: first a loop over all that a compiler can vectorise, then the undecided ones.
template <typename Approximation, typename Undecided>
inline void for_blocks(const float* source, float* target, size_t count, double error,
                       Approximation approximation, Undecided undecided) {
    constexpr size_t kBlock = 256;
    double values[kBlock];
    float above[kBlock];
    float arguments[kBlock];
    for (size_t done = 0; done < count; done += kBlock) {
        const size_t block = count - done < kBlock ? count - done : kBlock;
        for (size_t i = 0; i < block; ++i) {
            arguments[i] = source[done + i];
            values[i] = approximation(arguments[i]);
        }
        int same = 1;
        for (size_t i = 0; i < block; ++i) {
            const Ends ends = rounded_ends(values[i], error);
            target[done + i] = ends.below;
            above[i] = ends.above;
            same &= ends.below == ends.above ? 1 : 0;
        }
        if (same != 0) continue;
        for (size_t i = 0; i < block; ++i) {
            if (target[done + i] == above[i]) continue;
            target[done + i] = undecided(arguments[i], values[i]);
        }
    }
}

}  // namespace

float exp_rn(float x) {
    const Ends ends = rounded_ends(exp_double(x), kExpError);
    return ends.below == ends.above ? ends.below : exp_undecided(x);
}
Half exp_rn(Half x) { return round_to_half(exp_double(to_float(x))); }
BFloat16 exp_rn(BFloat16 x) { return round_to_bfloat16(exp_double(to_float(x))); }

float log_rn(float x) {
    const double y = log_double(x);
    const Ends ends = rounded_ends(y, kLogError);
    return ends.below == ends.above ? ends.below : log_undecided(x, y);
}
Half log_rn(Half x) { return round_to_half(log_double_any(to_float(x))); }
BFloat16 log_rn(BFloat16 x) { return round_to_bfloat16(log_double_any(to_float(x))); }

// The processor's square root and division are IEEE's.
float sqrt_rn(float x) { return canonical(std::sqrt(x)); }
Half sqrt_rn(Half x) { return round_to_half(std::sqrt(to_float(x))); }
BFloat16 sqrt_rn(BFloat16 x) { return round_to_bfloat16(std::sqrt(to_float(x))); }

float rsqrt_rn(float x) {
    const double y = rsqrt_double(x);
    const Ends ends = rounded_ends(y, kRsqrtError);
    return ends.below == ends.above ? ends.below : rsqrt_undecided(x, y);
}
Half rsqrt_rn(Half x) { return round_to_half(rsqrt_double(to_float(x))); }
BFloat16 rsqrt_rn(BFloat16 x) { return round_to_bfloat16(rsqrt_double(to_float(x))); }

float recip_rn(float x) { return canonical(1 / x); }
Half recip_rn(Half x) { return round_to_half(1 / to_float(x)); }
BFloat16 recip_rn(BFloat16 x) { return round_to_bfloat16(1 / to_float(x)); }

// A quotient of two 16-bit floats is never so near to a midpoint of them that rounding it to float
// first could land on it: with p bits each it stays 2^-(2p + 1) away, relatively.
float div_rn(float a, float b) { return canonical(a / b); }
Half div_rn(Half a, Half b) { return round_to_half(to_float(a) / to_float(b)); }
BFloat16 div_rn(BFloat16 a, BFloat16 b) { return round_to_bfloat16(to_float(a) / to_float(b)); }

// Lambdas, not the functions: a compiler inlines a loop's function only if its type names it.
void exp_rn(const float* source, float* target, size_t count) {
    for_blocks(
        source, target, count, kExpError, [](float x) { return exp_double(x); },
        [](float x, double) { return exp_undecided(x); });
}

void log_rn(const float* source, float* target, size_t count) {
    for_blocks(
        source, target, count, kLogError, [](float x) { return log_double(x); },
        [](float x, double y) { return log_undecided(x, y); });
}

void rsqrt_rn(const float* source, float* target, size_t count) {
    for_blocks(
        source, target, count, kRsqrtError, [](float x) { return rsqrt_double(x); },
        [](float x, double y) { return rsqrt_undecided(x, y); });
}

}  // namespace ptosim
