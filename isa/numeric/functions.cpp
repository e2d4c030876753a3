// Method: a double of known error, then a rounding test (Ziv). If both ends of the error interval round to the same
// float, so does the exact value; otherwise the function is computed again to about 94 bits and rounded from there.
// That happens for 8 arguments of exp and 46 of log, and no float's exp or log lies nearer than 2^-58, relatively, to a
// midpoint of two floats; exhaustive_f32_main.cpp confirms every result. The 16-bit types need no test, because
// functions_test.cpp checks each of their few arguments.
#include "isa/numeric/functions.h"

#include <bit>
#include <cmath>
#include <cstdint>

#include "isa/numeric/double_double.h"
#include "isa/numeric/function_tables.h"
#include "isa/numeric/functions_core.h"

namespace ptosim {
namespace {

using namespace detail;

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

// log(x) within 2^-87 of itself for positive x that hold a float: near 1 by the series of atanh, as
// the absolute error of the other way counts there.
DoubleDouble log_accurately(double x) {
    const double t = x - 1;  // exact near 1
    if (std::fabs(t) >= 0x1p-6) return log_exactly(x, log_double_positive(x));
    // s = t / (2 + t), log(x) = 2 (s + s^3 / 3 + ...), s^2 < 2^-13.
    const double divisor = 2 + t;  // exact: t has few bits
    const DoubleDouble s = DoubleDouble{t, 0} / divisor;
    const DoubleDouble square = s * s;
    DoubleDouble sum = DoubleDouble{1, 0} / 17;
    for (int n = 15; n > 0; n -= 2) sum = DoubleDouble{1, 0} / n + sum * square;
    const DoubleDouble half = s * sum;
    return {2 * half.high, 2 * half.low};
}

// |x|^y rounded to odd, for finite x > 0 and y. Beyond every float there is some number that is,
// too.
double power_of_magnitude(double x, double y) {
    const DoubleDouble product = log_accurately(x) * DoubleDouble{y, 0};
    if (product.high > 100) return 0x1p200;
    if (product.high < -120) return 0x1p-200;
    DoubleDouble power =
        exp_exactly(product.high) *
        (DoubleDouble{1, product.low} + DoubleDouble{product.low * product.low / 2, 0});
    // A value this near to a double is one, because powers of short numbers have few bits.
    if (std::fabs(power.low) < std::fabs(power.high) * 0x1p-78) power.low = 0;
    return round_to_odd(power);
}

// x^y rounded to odd, or exactly.
double power(double x, double y) {
    if (y == 0 || x == 1) return 1;
    if (x != x || y != y) return kNan;
    const bool whole = std::fabs(y) >= 0x1p53 || y == std::floor(y);
    const bool odd = whole && std::fabs(y) < 0x1p53 && std::fmod(y, 2.0) != 0;
    const double sign = odd && std::signbit(x) ? -1.0 : 1.0;
    const double magnitude = std::fabs(x);
    if (magnitude == 0) return y < 0 ? sign * kInfinity : sign * 0.0;
    if (std::fabs(y) == kInfinity) {
        if (magnitude == 1) return 1;
        return (magnitude > 1) == (y > 0) ? kInfinity : 0.0;
    }
    if (magnitude == kInfinity) return y < 0 ? sign * 0.0 : sign * kInfinity;
    if (x < 0 && !whole) return kNan;
    if (magnitude == 1) return sign;
    return sign * power_of_magnitude(magnitude, y);
}

// The nearer of two neighbouring floats to 1 / sqrt(x). There are no ties: the midpoint has 25 bits, and the square
// root of such a number's reciprocal would need as many in x.
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

float pow_rn(float x, float y) { return round_to_float(power(x, y)); }
Half pow_rn(Half x, Half y) { return round_to_half(power(to_float(x), to_float(y))); }
BFloat16 pow_rn(BFloat16 x, BFloat16 y) {
    return round_to_bfloat16(power(to_float(x), to_float(y)));
}

}  // namespace ptosim
