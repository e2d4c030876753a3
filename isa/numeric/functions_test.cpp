// Against GNU MPFR, which rounds correctly; the exhaustive check of floats is
// exhaustive_f32_main.cpp.
#include "isa/numeric/functions.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include "isa/numeric/format_oracle.h"
#include "isa/numeric/functions_core.h"
#include "isa/numeric/mpfr_oracle.h"

using namespace ptosim;
using oracle::bits_of;
using oracle::Comparison;
using oracle::Mpfr;
using oracle::raw_bits;

namespace {

float float_of(uint64_t raw) { return std::bit_cast<float>(static_cast<uint32_t>(raw)); }

template <typename Float>
Float apply(std::string_view function, Float x) {
    if (function == "exp") return exp_rn(x);
    if (function == "log") return log_rn(x);
    if (function == "sqrt") return sqrt_rn(x);
    if (function == "rsqrt") return rsqrt_rn(x);
    return recip_rn(x);
}

template <typename Float>
void compare_all_of_16_bits(Comparison& comparison, oracle::Format format) {
    Mpfr mpfr(format);
    for (const auto& [function, exact] : oracle::kFunctions) {
        for (uint32_t raw = 0; raw < 0x10000; ++raw) {
            const Float x{static_cast<uint16_t>(raw)};
            const double expected = mpfr.unary(exact, to_float(x));
            comparison.expect_equal(raw_bits(apply(function, x)), bits_of<Float>(expected),
                                    function, raw);
        }
    }
}

void compare_floats(Comparison& comparison, std::string_view function,
                    const std::vector<float>& arguments) {
    Mpfr mpfr(oracle::kF32);
    std::vector<float> run(arguments);
    if (function == "exp") exp_rn(run.data(), run.data(), run.size());
    if (function == "log") log_rn(run.data(), run.data(), run.size());
    if (function == "rsqrt") rsqrt_rn(run.data(), run.data(), run.size());
    const bool has_run = function == "exp" || function == "log" || function == "rsqrt";
    for (const auto& [candidate, exact] : oracle::kFunctions) {
        if (candidate != function) continue;
        for (size_t i = 0; i < arguments.size(); ++i) {
            const float x = arguments[i];
            const uint32_t expected = bits_of<float>(mpfr.unary(exact, x));
            comparison.expect_equal(raw_bits(apply(function, x)), expected, function, raw_bits(x));
            if (has_run) comparison.expect_equal(raw_bits(run[i]), expected, function, raw_bits(x));
        }
    }
}

// The largest relative error of a double approximation, seen over random arguments with the given
// range of exponents.
template <typename Approximation>
double largest_error(Approximation approximation, oracle::Function exact, bool with_negative,
                     int least_exponent, int exponents) {
    std::mt19937 random(10);
    mpfr_set_emin(mpfr_get_emin_min());
    mpfr_set_emax(mpfr_get_emax_max());
    mpfr_t expected, error;
    mpfr_init2(expected, 120);
    mpfr_init2(error, 120);
    double largest = 0;
    for (int i = 0; i < 200000; ++i) {
        const uint64_t raw = random();
        const auto field = static_cast<uint64_t>(127 + least_exponent) +
                           random() % static_cast<unsigned>(exponents);
        const float x = float_of((raw & (with_negative ? 0x807FFFFF : 0x007FFFFF)) | field << 23);
        mpfr_set_d(error, x, MPFR_RNDN);
        exact(expected, error, MPFR_RNDN);
        mpfr_sub_d(error, expected, approximation(x), MPFR_RNDN);
        mpfr_div(error, error, expected, MPFR_RNDN);
        largest = std::max(largest, std::fabs(mpfr_get_d(error, MPFR_RNDN)));
    }
    mpfr_clear(expected);
    mpfr_clear(error);
    return largest;
}

// The arguments whose results lie nearest to a midpoint of two floats (found by a search over all,
// with MPFR), so that the double-double path is taken: relative distances of 2^-58 to 2^-50.
const std::vector<uint32_t> kHardExp = {0xc16912cd, 0xbbf0edf1, 0xbae0e25c, 0xb3000000,
                                        0x377eff81, 0x40315b33, 0x4001b249, 0x39c6be5b};
const std::vector<uint32_t> kHardLog = {0x65d890d3, 0x4c5d65a5, 0x4d604ebe, 0x66a8c860,
                                        0x1f116ab8, 0x41178feb, 0x3c413d3a, 0x6f31a8ec,
                                        0x38dcbe38, 0x5ee8984e, 0x4665a9a6, 0x3bf86ef0};

// The one fraction for which 1 / sqrt(x) needs the exact comparison, at some exponents.
const std::vector<uint32_t> kHardRsqrt = {0x403a18e3, 0x413a18e3, 0x3f3a18e3, 0x013a18e3,
                                          0x7e3a18e3};

std::vector<float> floats(const std::vector<uint32_t>& raws) {
    std::vector<float> result;
    for (const uint32_t raw : raws) result.push_back(std::bit_cast<float>(raw));
    return result;
}

// Both signs of zero, one, the limits, infinity, NaN, and their neighbours.
std::vector<float> special_floats() {
    std::vector<float> result;
    for (const uint32_t raw : {0u, 1u, 0x007FFFFFu, 0x00800000u, 0x3F800000u, 0x7F7FFFFFu,
                               0x7F800000u, 0x7F800001u, 0x7FC00000u, 0x7FFFFFFFu, 0x42B17218u,
                               0x42CFF1B5u, 0x42AEAC50u, 0x42D10000u, 0x42B20000u, 0x33000000u}) {
        for (uint32_t sign : {0u, 0x80000000u}) {
            for (const uint32_t near : {raw - 1, raw, raw + 1}) {
                result.push_back(std::bit_cast<float>(near ^ sign));
            }
        }
    }
    return result;
}

}  // namespace

TEST_CASE("exp, log, sqrt, rsqrt and recip of every Half are correctly rounded", "[numeric]") {
    Comparison comparison;
    compare_all_of_16_bits<Half>(comparison, oracle::kF16);
    CHECK(comparison.differences() == "");
}

TEST_CASE("exp, log, sqrt, rsqrt and recip of every BFloat16 are correctly rounded", "[numeric]") {
    Comparison comparison;
    compare_all_of_16_bits<BFloat16>(comparison, oracle::kBF16);
    CHECK(comparison.differences() == "");
}

TEST_CASE("floats that are hard to round are correctly rounded", "[numeric]") {
    Comparison comparison;
    compare_floats(comparison, "exp", floats(kHardExp));
    compare_floats(comparison, "log", floats(kHardLog));
    compare_floats(comparison, "rsqrt", floats(kHardRsqrt));
    CHECK(comparison.differences() == "");
}

TEST_CASE("special floats give the results that IEEE 754 names", "[numeric]") {
    Comparison comparison;
    for (const auto& row : oracle::kFunctions)
        compare_floats(comparison, row.name, special_floats());
    CHECK(comparison.differences() == "");
    // PTO-ISA/pto-spec asl/tile/model/execution/unary.asl, without MPFR's help.
    constexpr float kInf = std::numeric_limits<float>::infinity();
    CHECK(raw_bits(exp_rn(-kInf)) == 0);
    CHECK(exp_rn(-0.0F) == 1);
    CHECK(log_rn(-0.0F) == -kInf);
    CHECK(raw_bits(log_rn(-1.0F)) == kCanonicalNanF32);
    CHECK(raw_bits(log_rn(1.0F)) == 0);
    CHECK(raw_bits(sqrt_rn(-0.0F)) == 0x80000000);
    CHECK(raw_bits(sqrt_rn(-1.0F)) == kCanonicalNanF32);
    CHECK(rsqrt_rn(-0.0F) == -kInf);
    CHECK(rsqrt_rn(0.0F) == kInf);
    CHECK(recip_rn(-0.0F) == -kInf);
    CHECK(raw_bits(recip_rn(-kInf)) == 0x80000000);
    CHECK(raw_bits(div_rn(0.0F, 0.0F)) == kCanonicalNanF32);
}

TEST_CASE("random floats are correctly rounded", "[numeric]") {
    Comparison comparison;
    std::mt19937 random(4);
    std::vector<float> any, exponents, positive;
    // Arguments whose exponential is neither 1 nor out of range: 2^-26 to 2^7.
    for (int i = 0; i < 800000; ++i) {
        const uint64_t raw = random();
        exponents.push_back(float_of((raw & 0x807FFFFF) | (127 - 26 + random() % 33) << 23));
    }
    for (int i = 0; i < 800000; ++i) positive.push_back(float_of(random() % 0x7F800000));
    // Around 1, where log has to keep its relative accuracy.
    for (uint32_t i = 0; i < 50000; ++i)
        positive.push_back(std::bit_cast<float>(0x3F800000 - 25000 + i));
    for (int i = 0; i < 400000; ++i) any.push_back(float_of(random()));
    compare_floats(comparison, "exp", exponents);
    compare_floats(comparison, "log", positive);
    compare_floats(comparison, "sqrt", positive);
    compare_floats(comparison, "rsqrt", positive);
    compare_floats(comparison, "recip", any);
    CHECK(comparison.differences() == "");
}

TEST_CASE("random quotients are correctly rounded", "[numeric]") {
    Comparison comparison;
    std::mt19937 random(5);
    Mpfr single(oracle::kF32);
    for (int i = 0; i < 300000; ++i) {
        const auto a = float_of(random());
        const auto b = float_of(random());
        comparison.expect_equal(raw_bits(div_rn(a, b)), bits_of<float>(single.divide(a, b)), "f32",
                                raw_bits(a), raw_bits(b));
    }
    Mpfr half(oracle::kF16);
    for (int i = 0; i < 1000000; ++i) {
        const Half a{static_cast<uint16_t>(random())};
        const Half b{static_cast<uint16_t>(random())};
        const double expected = half.divide(to_float(a), to_float(b));
        comparison.expect_equal(div_rn(a, b).bits, bits_of<Half>(expected), "f16", a.bits, b.bits);
    }
    Mpfr bfloat(oracle::kBF16);
    for (int i = 0; i < 1000000; ++i) {
        const BFloat16 a{static_cast<uint16_t>(random())};
        // Every other one small enough for a subnormal quotient.
        const auto b_bits = static_cast<uint16_t>(
            i % 2 == 0 ? random() : (a.bits + 0x3F00 + random() % 0x500) & 0x7FFF);
        const BFloat16 b{b_bits};
        const double expected = bfloat.divide(to_float(a), to_float(b));
        comparison.expect_equal(div_rn(a, b).bits, bits_of<BFloat16>(expected), "bf16", a.bits,
                                b.bits);
    }
    CHECK(comparison.differences() == "");
}

TEST_CASE("the approximations in double keep their bounds", "[numeric]") {
    using namespace detail;
    // functions_core.h states these; the rounding tests allow for 2^-50 and 2^-51, of which the
    // ends of the interval lose 2^-53 to rounding.
    CHECK(largest_error(exp_double, mpfr_exp, true, -30, 36) < 0x1.6p-52);
    CHECK(largest_error(exp_double, mpfr_exp, true, -2, 8) < 0x1.6p-52);
    CHECK(largest_error(log_double, mpfr_log, false, -126, 253) < 0x1.6p-52);
    CHECK(largest_error(log_double, mpfr_log, false, -1, 2) < 0x1.6p-52);
    CHECK(largest_error(rsqrt_double, mpfr_rec_sqrt, false, -126, 253) < 0x1.1p-52);
}

TEST_CASE("runs of every length give what single calls give, also in place", "[numeric]") {
    std::vector<float> arguments = special_floats();
    for (const float x : floats(kHardExp)) arguments.push_back(x);
    for (const float x : floats(kHardLog)) arguments.push_back(x);
    std::mt19937 random(6);
    while (arguments.size() < 600) arguments.push_back(float_of(random()));
    Comparison comparison;
    for (const size_t count :
         {size_t{0}, size_t{1}, size_t{7}, size_t{256}, size_t{257}, size_t{600}}) {
        std::vector<float> exps(count + 1, 42), logs(count + 1, 42), roots(arguments);
        exp_rn(arguments.data(), exps.data(), count);
        log_rn(arguments.data(), logs.data(), count);
        rsqrt_rn(roots.data(), roots.data(), count);
        for (size_t i = 0; i < count; ++i) {
            const uint32_t raw = raw_bits(arguments[i]);
            comparison.expect_equal(raw_bits(exps[i]), raw_bits(exp_rn(arguments[i])), "exp", raw);
            comparison.expect_equal(raw_bits(logs[i]), raw_bits(log_rn(arguments[i])), "log", raw);
            comparison.expect_equal(raw_bits(roots[i]), raw_bits(rsqrt_rn(arguments[i])), "rsqrt",
                                    raw);
        }
        CHECK(exps[count] == 42);
        CHECK(logs[count] == 42);
    }
    CHECK(comparison.differences() == "");
}
