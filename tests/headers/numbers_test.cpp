// Number types of the headers against the compiler's own arithmetic and against values by hand.
#include "pto/common/numbers.hpp"

#include <catch2/catch.hpp>
#include <cmath>
#include <cstring>

namespace {

// The nearest number of `precision` bits, by the host's rounding of doubles (to nearest even).
double rounded(double value, int precision) {
    int exponent = 0;
    const double fraction = std::frexp(value, &exponent);
    return std::ldexp(std::nearbyint(std::ldexp(fraction, precision)), exponent - precision);
}
template <class T>
T of_bits(unsigned bits) {
    T value;
    value.bits = static_cast<decltype(value.bits)>(bits);
    return value;
}

}  // namespace

TEST_CASE("every 16-bit number survives the way through float") {
    for (unsigned bits = 0; bits < 65536; ++bits) {
        const float h = of_bits<half>(bits), b = of_bits<bfloat16_t>(bits);
        if (!std::isnan(h) && half(h).bits != bits) FAIL("half " << bits);
        if (!std::isnan(b) && bfloat16_t(b).bits != bits) FAIL("bfloat16 " << bits);
        const uint32_t upper = bits << 16;
        float expected = 0;
        std::memcpy(&expected, &upper, 4);
        if (!std::isnan(expected) && b != expected) FAIL("bfloat16 value " << bits);
    }
    for (unsigned bits = 0; bits < 256; ++bits) {
        const float a = of_bits<float8_e4m3_t>(bits), b = of_bits<float8_e5m2_t>(bits);
        if (!std::isnan(a) && float8_e4m3_t(a).bits != bits) FAIL("e4m3 " << bits);
        if (!std::isnan(b) && float8_e5m2_t(b).bits != bits) FAIL("e5m2 " << bits);
    }
}

TEST_CASE("conversions round to nearest even, once") {
    uint64_t state = 19;
    for (int i = 0; i < 200000; ++i) {
        state = state * 6364136223846793005u + 1442695040888963407u;
        const double value =
            std::ldexp(static_cast<double>(static_cast<int64_t>(state)), -63 + int(state % 12));
        if (std::fabs(value) < 1e-4) continue;  // below the normal numbers of half
        if (static_cast<double>(float(half(value))) != rounded(value, 11)) FAIL("half " << value);
        if (static_cast<double>(float(bfloat16_t(value))) != rounded(value, 8))
            FAIL("bfloat16 " << value);
    }
    // The exact value is above a tie that a detour through float would make.
    CHECK(half(1.0 + std::ldexp(1, -11) + std::ldexp(1, -40)).bits == 0x3c01);
    CHECK(half(1.0 + std::ldexp(1, -11)).bits == 0x3c00);
}

TEST_CASE("limits of the formats") {
    CHECK(half(65504.0f).bits == 0x7bff);
    CHECK(half(65519.9).bits == 0x7bff);
    CHECK(half(65520.0f).bits == 0x7c00);
    CHECK(half(std::ldexp(1, -24)).bits == 1);
    CHECK(half(std::ldexp(1, -25)).bits == 0);
    CHECK(half(-0.0f).bits == 0x8000);
    CHECK(half(100000).bits == 0x7c00);
    CHECK(bfloat16_t(3.4e38f).bits == 0x7f80);
    // OCP OFP8: e4m3 has no infinity; its largest number is 448.
    CHECK(float8_e4m3_t(448.0f).bits == 0x7e);
    CHECK(float8_e4m3_t(464.0f).bits == 0x7e);
    CHECK(float8_e4m3_t(465.0f).bits == 0x7f);
    CHECK(float8_e5m2_t(57344.0f).bits == 0x7b);
    CHECK(float8_e5m2_t(65536.0f).bits == 0x7c);
    CHECK(std::isnan(float(half(NAN))));
}

TEST_CASE("numbers compute as scalars do") {
    half a = 1.5f, b = 2;
    a += b;
    CHECK(float(a) == 3.5f);
    CHECK(a * b == 7.0f);
    CHECK(a > b);
    constexpr half kConstant = 0.1f;
    static_assert(kConstant.bits == 0x2e66, "0.1 in half");
    CHECK(static_cast<int>(pto::int4b_t(-3)) == -3);
    CHECK(static_cast<int>(pto::int4b_t(7)) == 7);
}
