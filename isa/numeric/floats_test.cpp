#include "isa/numeric/floats.h"

#include <catch2/catch.hpp>
#include <cmath>
#include <limits>
#include <random>

#include "isa/numeric/format_oracle.h"

using namespace ptosim;
using oracle::Comparison;

namespace {

constexpr double kUp = std::numeric_limits<double>::infinity();
constexpr float kUpF = std::numeric_limits<float>::infinity();

uint64_t nearest(DType type, double value) {
    return oracle::expected_float(type, value, RoundMode::kRint, Saturation::kOff);
}

void compare_rounding(Comparison& comparison, float value) {
    const auto raw = std::bit_cast<uint32_t>(value);
    comparison.expect_equal(round_to_half(value).bits, nearest(DType::kF16, value), "f16", raw);
    comparison.expect_equal(round_to_bfloat16(value).bits, nearest(DType::kBF16, value), "bf16",
                            raw);
}

void compare_rounding(Comparison& comparison, double value) {
    const auto raw = std::bit_cast<uint64_t>(value);
    comparison.expect_equal(round_to_half(value).bits, nearest(DType::kF16, value), "f16", raw);
    comparison.expect_equal(round_to_bfloat16(value).bits, nearest(DType::kBF16, value), "bf16",
                            raw);
    comparison.expect_equal(std::bit_cast<uint32_t>(round_to_float(value)),
                            nearest(DType::kF32, value), "f32", raw);
}

}  // namespace

TEST_CASE("all 16-bit floats widen to their value, NaN to the canonical one", "[numeric]") {
    Comparison comparison;
    for (uint32_t raw = 0; raw < 0x10000; ++raw) {
        const auto bits = static_cast<uint16_t>(raw);
        const auto half = static_cast<float>(oracle::value_of(DType::kF16, raw));
        const auto bfloat = static_cast<float>(oracle::value_of(DType::kBF16, raw));
        const auto expected = [](float v) {
            return std::isnan(v) ? 0x7FC00000u : std::bit_cast<uint32_t>(v);
        };
        comparison.expect_equal(std::bit_cast<uint32_t>(to_float(Half{bits})), expected(half), raw);
        comparison.expect_equal(std::bit_cast<uint32_t>(to_float(BFloat16{bits})), expected(bfloat),
                                raw);
        comparison.expect_equal(is_nan(Half{bits}), std::isnan(half), raw);
        comparison.expect_equal(is_nan(BFloat16{bits}), std::isnan(bfloat), raw);
    }
    CHECK(comparison.differences() == "");
}

TEST_CASE("all 16-bit values, midpoints and their neighbours round to nearest even", "[numeric]") {
    Comparison comparison;
    for (const DType type : {DType::kF16, DType::kBF16}) {
        for (uint64_t raw = 0; raw < 0x8000; ++raw) {
            const auto value = static_cast<double>(oracle::value_of(type, raw));
            const auto next = static_cast<double>(oracle::value_of(type, raw + 1));
            if (!std::isfinite(value) || !std::isfinite(next)) continue;
            for (const double sign : {1.0, -1.0}) {
                for (const double centre : {sign * value, sign * (value + next) / 2}) {
                    compare_rounding(comparison, std::nextafter(centre, -kUp));
                    compare_rounding(comparison, centre);
                    compare_rounding(comparison, std::nextafter(centre, kUp));
                    const auto single = static_cast<float>(centre);
                    compare_rounding(comparison, std::nextafter(single, -kUpF));
                    compare_rounding(comparison, single);
                    compare_rounding(comparison, std::nextafter(single, kUpF));
                }
            }
        }
    }
    CHECK(comparison.differences() == "");
}

TEST_CASE("overflow, underflow, infinities and NaN of any payload round by rule", "[numeric]") {
    Comparison comparison;
    for (const double sign : {1.0, -1.0}) {
        for (const double x : {0.0,
                               65504.0,
                               65519.0,
                               65519.99,
                               65520.0,
                               65536.0,
                               1e30,
                               0x1.FEp127,
                               0x1.FEFFFFp127,
                               0x1.FFp127,
                               0x1.FFFFFEp127,
                               0x1p128,
                               1e300,
                               kUp,
                               0x1p-149,
                               0x1p-150,
                               0x1p-24,
                               0x1p-25,
                               0x1.000002p-25,
                               0x1p-133,
                               0x1p-134,
                               0x1.000002p-134,
                               1e-300}) {
            compare_rounding(comparison, sign * x);
            compare_rounding(comparison, static_cast<float>(sign * x));
        }
    }
    for (const uint32_t raw : {0x7FC00000u, 0xFFC00000u, 0x7F800001u, 0xFF800001u, 0x7FFFFFFFu}) {
        compare_rounding(comparison, std::bit_cast<float>(raw));
        compare_rounding(comparison, std::bit_cast<double>(uint64_t{raw} << 32 | 1));
        comparison.expect_equal(std::bit_cast<uint32_t>(canonical(std::bit_cast<float>(raw))),
                                0x7FC00000u, raw);
    }
    CHECK(comparison.differences() == "");
}

TEST_CASE("random floats and doubles round to nearest even", "[numeric]") {
    Comparison comparison;
    std::mt19937_64 random(3);
    for (int i = 0; i < 500000; ++i) {
        const uint64_t raw = random();
        compare_rounding(comparison, std::bit_cast<float>(static_cast<uint32_t>(raw)));
        // Any fraction, an exponent from 2^-160 to 2^130.
        const uint64_t exponent = 1023 - 160 + raw % 290;
        compare_rounding(comparison,
                         std::bit_cast<double>((raw & 0x800FFFFFFFFFFFFF) | exponent << 52));
    }
    CHECK(comparison.differences() == "");
}
