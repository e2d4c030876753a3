#include "isa/numeric/arithmetic.h"

#include <catch2/catch.hpp>
#include <cmath>
#include <limits>
#include <random>

#include "isa/numeric/format_oracle.h"
#include "isa/numeric/mpfr_oracle.h"

using namespace ptosim;
using oracle::bits_of;
using oracle::Comparison;
using oracle::Mpfr;
using oracle::raw_bits;

namespace {

template <typename Float>
struct Type;
template <>
struct Type<float> {
    static constexpr DType kType = DType::kF32;
    static constexpr oracle::Format kFormat = oracle::kF32;
    static float from_bits(uint32_t raw) { return std::bit_cast<float>(raw); }
};
template <>
struct Type<Half> {
    static constexpr DType kType = DType::kF16;
    static constexpr oracle::Format kFormat = oracle::kF16;
    static Half from_bits(uint32_t raw) { return {static_cast<uint16_t>(raw)}; }
};
template <>
struct Type<BFloat16> {
    static constexpr DType kType = DType::kBF16;
    static constexpr oracle::Format kFormat = oracle::kBF16;
    static BFloat16 from_bits(uint32_t raw) { return {static_cast<uint16_t>(raw)}; }
};

// Operands of which many cancel, tie or meet at the subnormals.
template <typename Float>
Float operand(std::mt19937& random) {
    const uint32_t raw = random();
    const unsigned width = bits(Type<Float>::kType);
    const uint32_t short_fraction = raw & (0xF8000000u | 0x00700000u);
    const uint32_t magnitude = raw % 3 == 0 ? short_fraction : raw;
    return Type<Float>::from_bits(magnitude >> (32 - width) | (raw % 5 == 0 ? raw & 0xF : 0));
}

template <typename Float>
void compare_arithmetic(Comparison& comparison, int count) {
    std::mt19937 random(7);
    Mpfr mpfr(Type<Float>::kFormat);
    for (int i = 0; i < count; ++i) {
        const Float a = operand<Float>(random);
        const Float b = operand<Float>(random);
        const Float c = operand<Float>(random);
        const double x = to_float(a);
        const double y = to_float(b);
        const double z = to_float(c);
        const auto expect = [&](const char* what, Float got, double expected) {
            comparison.expect_equal(raw_bits(got), bits_of<Float>(expected), what, raw_bits(a),
                                    raw_bits(b), raw_bits(c));
        };
        expect("add", add(a, b), mpfr.add(x, y));
        expect("sub", sub(a, b), mpfr.add(x, -y));
        expect("mul", mul(a, b), mpfr.multiply(x, y));
        expect("fma", fma(a, b, c), mpfr.fma(x, y, z));
    }
}

// By the rule's own words, on plain values.
double expected_min(double a, double b) {
    if (std::isnan(a)) return b;
    if (std::isnan(b)) return a;
    if (a == b) return std::signbit(a) ? a : b;
    return a < b ? a : b;
}
double expected_max(double a, double b) { return -expected_min(-a, -b); }

template <typename Float>
void compare_extrema(Comparison& comparison, int count) {
    std::mt19937 random(8);
    constexpr uint32_t kSpecials[] = {0,          0x80000000, 0x7F800000, 0xFF800000, 0x7FC00000,
                                      0xFFC00000, 0x7F810000, 0x3F800000, 0x00010000};
    const auto compare = [&](Float a, Float b) {
        const double x = to_float(a);
        const double y = to_float(b);
        comparison.expect_equal(raw_bits(min_num(a, b)), bits_of<Float>(expected_min(x, y)), "min",
                                raw_bits(a), raw_bits(b));
        comparison.expect_equal(raw_bits(max_num(a, b)), bits_of<Float>(expected_max(x, y)), "max",
                                raw_bits(a), raw_bits(b));
    };
    const auto special = [](uint32_t raw) {
        return Type<Float>::from_bits(static_cast<uint32_t>(oracle::expected_float(
            Type<Float>::kType, std::bit_cast<float>(raw), RoundMode::kRint, Saturation::kOff)));
    };
    for (const uint32_t i : kSpecials) {
        for (const uint32_t j : kSpecials) compare(special(i), special(j));
    }
    for (int i = 0; i < count; ++i) compare(operand<Float>(random), operand<Float>(random));
}

template <typename Float>
void compare_remainders(Comparison& comparison, int count) {
    std::mt19937 random(9);
    Mpfr mpfr(Type<Float>::kFormat);
    for (int i = 0; i < count; ++i) {
        const Float a = operand<Float>(random);
        // Any divisor, or one not far from the dividend.
        const Float b = i % 2 == 0 ? operand<Float>(random)
                                   : Type<Float>::from_bits(raw_bits(a) - random() % 0x300);
        const double x = to_float(a);
        const double y = to_float(b);
        double expected = mpfr.fmod(x, y);
        comparison.expect_equal(raw_bits(fmod_exact(a, b)), bits_of<Float>(expected), "fmod",
                                raw_bits(a), raw_bits(b));
        // Python's definition: fmod, moved to the divisor's sign.
        if (expected == 0)
            expected = std::copysign(0.0, y);
        else if (std::signbit(expected) != std::signbit(y))
            expected = mpfr.add(expected, y);
        comparison.expect_equal(raw_bits(remainder_floor(a, b)), bits_of<Float>(expected),
                                "remainder", raw_bits(a), raw_bits(b));
    }
}

}  // namespace

TEST_CASE("sums, differences, products and fused products are correctly rounded", "[numeric]") {
    Comparison comparison;
    compare_arithmetic<float>(comparison, 200000);
    compare_arithmetic<Half>(comparison, 400000);
    compare_arithmetic<BFloat16>(comparison, 400000);
    CHECK(comparison.differences() == "");
}

TEST_CASE("a fused product that ties is decided by a tiny addend", "[numeric]") {
    // 1.5 * 1.0078125 = 1.51171875, midway between the bf16 neighbours 1.5078125 and 1.515625.
    const BFloat16 a = round_to_bfloat16(1.5F);
    const BFloat16 b = round_to_bfloat16(1.0078125F);
    CHECK(to_float(fma(a, b, round_to_bfloat16(0x1p-120F))) == 1.515625F);
    CHECK(to_float(fma(a, b, round_to_bfloat16(-0x1p-120F))) == 1.5078125F);
}

TEST_CASE("minimum and maximum skip a NaN and tell the zeros apart", "[numeric]") {
    Comparison comparison;
    compare_extrema<float>(comparison, 100000);
    compare_extrema<Half>(comparison, 100000);
    compare_extrema<BFloat16>(comparison, 100000);
    CHECK(comparison.differences() == "");
    // PTO-ISA/pto-spec asl/arch/features/minmax-profile.asl.
    CHECK(raw_bits(min_num(0.0F, -0.0F)) == 0x80000000);
    CHECK(raw_bits(max_num(-0.0F, 0.0F)) == 0);
    const auto nan = std::bit_cast<float>(0xFFC12345u);
    CHECK(min_num(nan, 2.0F) == 2);
    CHECK(max_num(2.0F, nan) == 2);
    CHECK(raw_bits(max_num(nan, nan)) == kCanonicalNanF32);
}

TEST_CASE("remainders are exact", "[numeric]") {
    Comparison comparison;
    compare_remainders<float>(comparison, 200000);
    compare_remainders<Half>(comparison, 200000);
    compare_remainders<BFloat16>(comparison, 200000);
    CHECK(comparison.differences() == "");
    CHECK(fmod_exact(-7.5F, 2.0F) == -1.5F);
    CHECK(remainder_floor(-7.5F, 2.0F) == 0.5F);
    CHECK(raw_bits(fmod_exact(1.0F, 0.0F)) == kCanonicalNanF32);
}
