#include "isa/numeric/formats.h"

#include <catch2/catch.hpp>
#include <cmath>
#include <limits>
#include <random>
#include <stdexcept>
#include <vector>

#include "isa/numeric/format_oracle.h"

using namespace ptosim;
using oracle::Comparison;

namespace {

// Bits that tell values, signs of zero and NaN (any) apart.
uint64_t identity(double value) {
    return std::isnan(value) ? ~uint64_t{0} : std::bit_cast<uint64_t>(value);
}

void compare_encode(Comparison& comparison, DType type, double value) {
    for (const RoundMode mode : oracle::kModes) {
        for (const Saturation saturation : oracle::kSaturations) {
            comparison.expect_equal(encode(type, value, mode, saturation),
                                    oracle::expected_float(type, value, mode, saturation),
                                    name(type), std::bit_cast<uint64_t>(value),
                                    static_cast<int>(mode), static_cast<int>(saturation));
        }
    }
}

// A value, the midpoint to the next one, and the numbers adjacent to these, with both signs.
void compare_around(Comparison& comparison, DType type, double value, double next) {
    constexpr double kUp = std::numeric_limits<double>::infinity();
    for (const double centre : {value, value + (next - value) / 2}) {
        for (const double x : {std::nextafter(centre, 0.0), centre, std::nextafter(centre, kUp)}) {
            compare_encode(comparison, type, x);
            compare_encode(comparison, type, -x);
        }
    }
}

}  // namespace

TEST_CASE("every encoding of up to 16 bits has the value that its fields say", "[numeric]") {
    Comparison comparison;
    for (const DType type : oracle::kFloats) {
        if (bits(type) > 16) continue;
        for (uint64_t raw = 0; raw < uint64_t{1} << bits(type); ++raw) {
            const auto expected = static_cast<double>(oracle::value_of(type, raw));
            comparison.expect_equal(identity(decode(type, raw)), identity(expected), name(type),
                                    raw);
        }
    }
    CHECK(comparison.differences() == "");
}

TEST_CASE("sampled encodings of 32 bits have the value that their fields say", "[numeric]") {
    Comparison comparison;
    std::mt19937 random(1);
    for (const DType type : {DType::kF32, DType::kTF32, DType::kHF32}) {
        for (int i = 0; i < 300000; ++i) {
            const uint64_t raw = random();
            const auto expected = static_cast<double>(oracle::value_of(type, raw));
            comparison.expect_equal(identity(decode(type, raw)), identity(expected), name(type),
                                    raw);
        }
    }
    CHECK(comparison.differences() == "");
}

TEST_CASE("fp4 values are those of the published grids", "[numeric]") {
    // OCP MX 1.0 table of E2M1; PTO-ISA/pto-spec hardware-conformance-profile.json for E1M2.
    const double e2m1[] = {0, 0.5, 1, 1.5, 2, 3, 4, 6};
    const double e1m2[] = {0, 0.25, 0.5, 0.75, 1, 1.25, 1.5, 1.75};
    for (uint64_t raw = 0; raw < 8; ++raw) {
        CHECK(decode(DType::kE2M1, raw) == e2m1[raw]);
        CHECK(decode(DType::kE2M1, raw + 8) == -e2m1[raw]);
        CHECK(decode(DType::kE1M2, raw) == e1m2[raw]);
        CHECK(decode(DType::kE1M2, raw + 8) == -e1m2[raw]);
    }
}

TEST_CASE("HiF8 has the values that its paper names", "[numeric]") {
    // arXiv 2409.16626: largest 2^15, least normal 2^-15, least denormal 2^-22; also 1 and 1.125.
    CHECK(decode(DType::kHIF8, 0x6E) == 0x1p15);
    CHECK(decode(DType::kHIF8, 0x7E) == 0x1p-15);
    CHECK(decode(DType::kHIF8, 0x01) == 0x1p-22);
    CHECK(decode(DType::kHIF8, 0x08) == 1);
    CHECK(decode(DType::kHIF8, 0x09) == 1.125);
    CHECK(std::isinf(decode(DType::kHIF8, 0x6F)));
    CHECK(std::isnan(decode(DType::kHIF8, 0x80)));
}

TEST_CASE("the descriptors agree with the encodings they describe", "[numeric]") {
    for (const DType type : oracle::kFloats) {
        const FloatFormat& format = float_format(type);
        INFO(name(type));
        CHECK(format.type == type);
        CHECK(decode(type, format.largest) == format.largest_value);
        if (type != DType::kE8M0) CHECK(format.largest_value == oracle::largest_of(type));
        if (format.has_nan) CHECK(std::isnan(decode(type, format.nan)));
        if (format.has_infinity) CHECK(std::isinf(decode(type, format.infinity)));
    }
}

TEST_CASE("decode tables hold the decoded values", "[numeric]") {
    for (const DType type : oracle::kFloats) {
        if (bits(type) > 8) continue;
        for (uint64_t raw = 0; raw < uint64_t{1} << bits(type); ++raw) {
            const float value = decode_table(type)[raw];
            const double expected = decode(type, raw);
            CHECK(identity(static_cast<double>(value)) == identity(expected));
        }
    }
}

TEST_CASE("types that are no float are refused", "[numeric]") {
    CHECK_THROWS_AS(float_format(DType::kI8), std::invalid_argument);
    CHECK_THROWS_AS(decode(DType::kU64, 0), std::invalid_argument);
    CHECK_THROWS_AS(encode(DType::kI4, 0, RoundMode::kRint, Saturation::kOn),
                    std::invalid_argument);
    CHECK_THROWS_AS(decode_table(DType::kF16), std::invalid_argument);
}

TEST_CASE("each value of up to 16 bits, each midpoint and their neighbours round as the model says",
          "[numeric]") {
    Comparison comparison;
    for (const DType type : oracle::kFloats) {
        if (bits(type) > 16) continue;
        std::vector<double> values;
        for (uint64_t raw = 0; raw < uint64_t{1} << bits(type); ++raw) {
            const auto value = static_cast<double>(oracle::value_of(type, raw));
            if (value >= 0 && std::isfinite(value)) values.push_back(value);
        }
        std::sort(values.begin(), values.end());
        // One more step, to cover overflow.
        values.push_back(2 * values.back() - values[values.size() - 2]);
        if (type == DType::kHIF8) values.back() = 49152;
        for (size_t i = 0; i + 1 < values.size(); ++i) {
            compare_around(comparison, type, values[i], values[i + 1]);
        }
        compare_around(comparison, type, values.back(), 2 * values.back());
    }
    CHECK(comparison.differences() == "");
}

TEST_CASE("sampled values of 32 bits and their midpoints round as the model says", "[numeric]") {
    Comparison comparison;
    std::mt19937 random(2);
    for (const DType type : {DType::kF32, DType::kTF32, DType::kHF32}) {
        const uint64_t step = uint64_t{1} << float_format(type).low_zero_bits;
        for (int i = 0; i < 20000; ++i) {
            // Half of them subnormal or nearly so.
            uint64_t raw = random() & (i % 2 == 0 ? 0x7FFFFFFF : 0x00FFFFFF) & ~(step - 1);
            if (raw >= 0x7F800000 - step) continue;
            compare_around(comparison, type, static_cast<double>(oracle::value_of(type, raw)),
                           static_cast<double>(oracle::value_of(type, raw + step)));
        }
        const double largest = float_format(type).largest_value;
        compare_around(comparison, type, largest, 0x1p128);
        compare_around(comparison, type, 0x1p128, 0x1p129);
    }
    CHECK(comparison.differences() == "");
}

TEST_CASE("extreme doubles, infinities, zeros and NaN are encoded by rule", "[numeric]") {
    using Limits = std::numeric_limits<double>;
    Comparison comparison;
    for (const DType type : oracle::kFloats) {
        for (const double x : {0.0,
                               Limits::denorm_min(),
                               Limits::min(),
                               Limits::max(),
                               Limits::infinity(),
                               0x1p-126,
                               0x1p-127,
                               0x1p-128,
                               0x1.8p-127,
                               0x1.8p127,
                               0x1.6a09e667f3bccp0,
                               0x1.6a09e667f3bcdp0,
                               0x1.6a09ep-9,
                               0x1.6a0ap-9,
                               464.0,
                               465.0,
                               479.0,
                               481.0,
                               40960.0,
                               1e70}) {
            compare_encode(comparison, type, x);
            compare_encode(comparison, type, -x);
        }
        compare_encode(comparison, type, Limits::quiet_NaN());
        compare_encode(comparison, type, -Limits::quiet_NaN());
    }
    CHECK(comparison.differences() == "");
}

TEST_CASE("overflow follows the published examples", "[numeric]") {
    const auto rounded = [](DType type, double value, Saturation saturation) {
        return encode(type, value, RoundMode::kRint, saturation);
    };
    // OCP OFP8 1.0: e4m3 has no infinity; beyond 448 after rounding is NaN, or 448 saturated.
    CHECK(rounded(DType::kE4M3, 464, Saturation::kOff) == 0x7E);
    CHECK(rounded(DType::kE4M3, 465, Saturation::kOff) == 0x7F);
    CHECK(rounded(DType::kE4M3, -465, Saturation::kOn) == 0xFE);
    CHECK(rounded(DType::kE5M2, 61440, Saturation::kOff) == 0x7C);
    CHECK(rounded(DType::kF16, 65519, Saturation::kOff) == 0x7BFF);
    CHECK(rounded(DType::kF16, 65520, Saturation::kOff) == 0x7C00);
    CHECK(rounded(DType::kF16, 65520, Saturation::kOn) == 0x7BFF);
    CHECK(encode(DType::kF16, 1e6, RoundMode::kTrunc, Saturation::kOff) == 0x7BFF);
    CHECK(encode(DType::kF16, -1e6, RoundMode::kFloor, Saturation::kOff) == 0xFC00);
    CHECK(rounded(DType::kE2M1, 1e6, Saturation::kOff) == 0x7);
}
