// Powers against MPFR: special values, exact powers and midpoints, and a sample of everything.
#include <catch2/catch.hpp>

#include <mpfr.h>
#include <bit>
#include <cmath>
#include <random>

#include "isa/numeric/functions.h"

using namespace ptosim;

namespace {

class Power {
 public:
    Power() { mpfr_inits2(200, x_, y_, z_, nullptr); }
    ~Power() { mpfr_clears(x_, y_, z_, nullptr); }
    Power(const Power&) = delete;
    Power& operator=(const Power&) = delete;

    // The power rounded to odd, which rounds to any narrower format like the exact power.
    double operator()(double x, double y) {
        mpfr_set_d(x_, x, MPFR_RNDN);
        mpfr_set_d(y_, y, MPFR_RNDN);
        const int inexact = mpfr_pow(z_, x_, y_, MPFR_RNDZ);
        const double towards_zero = mpfr_get_d(z_, MPFR_RNDZ);
        const bool exact = inexact == 0 && mpfr_cmp_d(z_, towards_zero) == 0;
        auto raw = std::bit_cast<uint64_t>(towards_zero);
        if (!exact && std::isfinite(towards_zero)) raw |= 1;
        return std::bit_cast<double>(raw);
    }

 private:
    mpfr_t x_, y_, z_;
};

}  // namespace

TEST_CASE("f32 powers are MPFR's", "[power]") {
    Power power;
    auto same = [&](float x, float y) {
        INFO(x << " ^ " << y);
        REQUIRE(std::bit_cast<uint32_t>(pow_rn(x, y)) ==
                std::bit_cast<uint32_t>(round_to_float(power(x, y))));
    };
    const float special[] = {0.0F,      -0.0F,    1.0F,     -1.0F,     0.5F,  -0.5F,
                             2.0F,      -2.0F,    3.0F,     -3.0F,     1e30F, 1e-30F,
                             0x1p-149F, 0x1p127F, INFINITY, -INFINITY, NAN};
    for (float x : special)
        for (float y : special) same(x, y);
    // Exact results and midpoints: squares and cubes of up to 13 bits, roots of squares.
    for (int n = 3; n < 8192; n += 2) {
        const auto x = static_cast<float>(n);
        for (float y : {2.0F, 3.0F, -1.0F, 0.5F, 1.5F}) same(x, y);
        same(x * x, 0.5F);
    }
    std::mt19937 random(11);
    for (int i = 0; i < 40000; ++i) {
        const float x = std::bit_cast<float>(static_cast<uint32_t>(random()) & 0x7FFFFFFFu);
        if (!(x > 0 && x < INFINITY)) continue;
        // Results all over the range of floats.
        const double want = static_cast<double>(random() % 2000) / 10 - 105;
        same(x, static_cast<float>(want / std::log(static_cast<double>(x))));
        // Near 1, large exponents.
        const float near =
            1.0F + static_cast<float>(static_cast<int>(random() % 4096) - 2048) * 0x1p-23F;
        same(near, static_cast<float>(random()) / 64.0F);
    }
}

TEST_CASE("f16 and bf16 powers are MPFR's", "[power]") {
    Power power;
    for (unsigned a = 0; a < 65536; a += 13)
        for (unsigned b :
             {0x3800u, 0x3E00u, 0x4000u, 0x4200u, 0xBC00u, 0xC100u, 0x5000u, 0x2C00u}) {
            const Half x{static_cast<uint16_t>(a)}, y{static_cast<uint16_t>(b)};
            const BFloat16 u{static_cast<uint16_t>(a)}, v{static_cast<uint16_t>(b)};
            INFO(a << " ^ " << b);
            REQUIRE(pow_rn(x, y).bits == round_to_half(power(to_float(x), to_float(y))).bits);
            REQUIRE(pow_rn(u, v).bits == round_to_bfloat16(power(to_float(u), to_float(v))).bits);
        }
}
