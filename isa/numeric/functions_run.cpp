// Functions on arrays of floats: a rounding test like that of functions.cpp, on an approximation with just enough bits
// to pass it nearly always. Undecided arguments, one float in some thousands, and special arguments use the plain
// functions. So the quality of the approximation, and fused products and sums of the host, change no result while the
// error is within kError. exhaustive_f32_main.cpp compares every float.
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

#include "isa/numeric/function_tables.h"
#include "isa/numeric/functions.h"
#include "isa/numeric/functions_core.h"
#include "isa/numeric/wide.h"

namespace ptosim {
namespace {

using namespace detail;

constexpr double kError = 0x1p-42;  // relative

// a * b + c, with one rounding if the host has an instruction for it.
template <bool kFused>
double multiply_add(double a, double b, double c) {
    if constexpr (kFused) return std::fma(a, b, c);
    return a * b + c;
}

// The polynomial of c[0] + c[1] x + ..., halves of which do not wait for one another.
template <bool kFused, size_t kFirst, size_t kTerms, size_t kAll>
double part_of_polynomial(const double (&c)[kAll], const double (&powers)[3]) {  // of x: 1, 2 and 4
    if constexpr (kTerms == 1) {
        return c[kFirst];
    } else {
        constexpr size_t kLow = std::bit_ceil(kTerms) / 2;
        return multiply_add<kFused>(part_of_polynomial<kFused, kFirst + kLow, kTerms - kLow>(c, powers),
                                    powers[std::bit_width(kLow) - 1],
                                    part_of_polynomial<kFused, kFirst, kLow>(c, powers));
    }
}
template <bool kFused, size_t kTerms>
double polynomial(const double (&c)[kTerms], double x) {
    const double square = x * x;
    return part_of_polynomial<kFused, 0, kTerms>(c, {x, square, square * square});
}

struct Exp {
    // True for NaNs and for arguments with subnormal results; arguments of -104 and less give 0.
    static bool is_special(uint32_t raw) {
        constexpr uint32_t kSubnormal = std::bit_cast<uint32_t>(-87.0F), kZero = std::bit_cast<uint32_t>(-104.0F);
        const bool nan = (raw & 0x7FFFFFFF) > 0x7F800000;
        return (int{nan} | int{raw - kSubnormal < kZero - kSubnormal}) != 0;
    }

    // Like exp_double(), which explains the bounds.
    template <bool kFused>
    static double approximate(float x) {
        constexpr uint32_t kLargest = std::bit_cast<uint32_t>(104.5F);
        const auto raw = std::bit_cast<uint32_t>(x);
        const uint32_t magnitude = raw & 0x7FFFFFFF;
        const uint32_t drawn_in = magnitude < kLargest ? magnitude : kLargest;
        const double y = std::bit_cast<float>(drawn_in | (raw & 0x80000000));
        const double shifted = multiply_add<kFused>(y, kInverseLn2, kRoundToInteger);
        const double k = shifted - kRoundToInteger;
        // ln 2 as one double is wrong by 2^-55, which counts 151 times at most.
        const double r = multiply_add<kFused>(-k, kLn2High + kLn2Rest, y);
        const double exp_r = multiply_add<kFused>(r * r, polynomial<kFused>(kShortExpRest, r), 1 + r);
        return std::bit_cast<double>(std::bit_cast<uint64_t>(exp_r) + (std::bit_cast<uint64_t>(shifted) << 52));
    }
    static float plain(float x) { return exp_rn(x); }
};

struct Log {
    static bool is_special(uint32_t raw) { return raw - 1 >= 0x7F7FFFFF; }  // not positive and finite

    // Like log_double_positive(), except for the division: a float division and a Newton step.
    template <bool kFused>
    static double approximate(float x) {
        constexpr auto kSqrtHalf = std::bit_cast<uint32_t>(0x1.6a09e6p-1F);
        constexpr float kNormal = 0x1p24F;  // times a subnormal
        const bool subnormal = std::bit_cast<uint32_t>(x) < 0x00800000;
        const float normal = choose(subnormal, x * kNormal, x);
        const auto raw = std::bit_cast<uint32_t>(normal);  // unsigned: special x, whose result is not used, may wrap around
        const int32_t exponent = static_cast<int32_t>(raw - kSqrtHalf) >> 23;
        const auto m = std::bit_cast<float>(raw - (static_cast<uint32_t>(exponent) << 23));
        const double k = exponent - (subnormal ? 24 : 0);
        const float t = m - 1;                  // exact
        const double guess = 1 / (m + 1);       // within 2^-23
        const double d = static_cast<double>(t) + 2;
        const double rest = multiply_add<kFused>(-d, guess, 1.0);
        const double s0 = t * guess;
        const double s = multiply_add<kFused>(s0, rest, s0);
        const double z = s * s;
        const double log_m = multiply_add<kFused>(s * z, polynomial<kFused>(kShortLogRest, z), s + s);
        return multiply_add<kFused>(k, kLn2High + kLn2Rest, log_m);
    }
    static float plain(float x) { return log_rn(x); }

 private:
    static float choose(bool condition, float a, float b) { return condition ? a : b; }
};

struct InverseRoot {
    static bool is_special(uint32_t raw) { return raw - 1 >= 0x7F7FFFFF; }

    // Newton's iteration from half the exponent, which is wrong by 4 %: three steps in floats, and one that has the bits
    // of a double. Without fused instructions a root and a division are faster.
    template <bool kFused>
    static double approximate(float x) {
        if constexpr (!kFused) return rsqrt_double(x);
        constexpr float kNormal = 0x1p24F;
        const bool subnormal = std::bit_cast<uint32_t>(x) < 0x00800000;
        const float normal = subnormal ? x * kNormal : x;
        float y = std::bit_cast<float>(0x5F375A86 - static_cast<uint32_t>(std::bit_cast<int32_t>(normal) >> 1));
        y = y * (1.5F - (0.5F * y) * (normal * y));
        y = y * (1.5F - (0.5F * y) * (normal * y));
        y = y * (1.5F - (0.5F * y) * (normal * y));
        const double wide = y;
        const double rest = multiply_add<kFused>(-static_cast<double>(normal), wide * wide, 1.0);
        const double root = multiply_add<kFused>(0.5 * wide, rest, wide);
        return root * (subnormal ? 0x1p12 : 1.0);
    }
    static float plain(float x) { return rsqrt_rn(x); }
};

// True if a double within kError of the exact value may round to another float than that: it lies near the midpoint of
// two floats, which have 29 bits less.
bool is_undecided(double y) {
    constexpr uint32_t kMidpoint = 1u << 28;
    constexpr auto kNear = static_cast<uint32_t>(kError * 0x1p53);  // in units of the last place, of which 2^52 or more
    const auto low = static_cast<uint32_t>(std::bit_cast<uint64_t>(y));
    return (low << 3) - ((kMidpoint - kNear) << 3) <= (2 * kNear) << 3;
}

// Source and target may be the same array.
template <typename Function>
void run(const float* source, float* target, size_t count) {
    constexpr size_t kBlock = 2048;
    alignas(64) float copies[kBlock];
    for (size_t done = 0; done < count; done += kBlock) {
        const size_t block = std::min(kBlock, count - done);
        const float* arguments = source + done;
        if (source == target) {
            std::copy(arguments, arguments + block, copies);
            arguments = copies;
        }
        int decided = 1;
        // First all that a compiler can vectorise; NaNs are left for the plain function.
        widest_fused([=, x = arguments, out = target + done, all = &decided](auto fused) {
            constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
            PTO_INDEPENDENT
            for (size_t i = 0; i < block; ++i) {
                const double y = Function::template approximate<fused()>(x[i]);
                const float result = is_undecided(y) ? kNan : static_cast<float>(y);
                out[i] = Function::is_special(std::bit_cast<uint32_t>(x[i])) ? kNan : result;
            }
            int numbers = 1;
            for (size_t i = 0; i < block; ++i) numbers &= out[i] == out[i] ? 1 : 0;
            *all = numbers;
        });
        if (decided != 0) continue;
        for (size_t i = 0; i < block; ++i)
            if (target[done + i] != target[done + i]) target[done + i] = Function::plain(arguments[i]);
    }
}

}  // namespace

void exp_rn(const float* source, float* target, size_t count) { run<Exp>(source, target, count); }
void log_rn(const float* source, float* target, size_t count) { run<Log>(source, target, count); }
void rsqrt_rn(const float* source, float* target, size_t count) { run<InverseRoot>(source, target, count); }

}  // namespace ptosim
