// Correctly rounded results from GNU MPFR, for tests only.
#pragma once

#include <mpfr.h>

#include <bit>
#include <cstdint>
#include <functional>
#include <limits>
#include <string_view>

#include "isa/numeric/floats.h"

namespace ptosim::oracle {

inline uint32_t raw_bits(float value) { return std::bit_cast<uint32_t>(value); }
inline uint32_t raw_bits(Half value) { return value.bits; }
inline uint32_t raw_bits(BFloat16 value) { return value.bits; }

// An IEEE format as MPFR sees it: its numbers are 0.1fff * 2^e, so both limits are one more than
// usual and the lower one is that of the least subnormal.
struct Format {
    int precision;
    mpfr_exp_t least;
    mpfr_exp_t greatest;
};
constexpr Format kF32 = {24, -148, 128};
constexpr Format kF16 = {11, -23, 16};
constexpr Format kBF16 = {8, -132, 128};

using Function = int (*)(mpfr_ptr, mpfr_srcptr, mpfr_rnd_t);

inline int reciprocal(mpfr_ptr result, mpfr_srcptr x, mpfr_rnd_t mode) {
    return mpfr_ui_div(result, 1, x, mode);
}

// MPFR gives +inf for -0; IEEE 754-2019 9.2.1 has rSqrt(-0) = -inf.
inline int reciprocal_root(mpfr_ptr result, mpfr_srcptr x, mpfr_rnd_t mode) {
    const int ternary = mpfr_rec_sqrt(result, x, mode);
    if (mpfr_zero_p(x) != 0 && mpfr_signbit(x) != 0) mpfr_set_inf(result, -1);
    return ternary;
}

struct Named {
    std::string_view name;
    Function function;
};
constexpr Named kFunctions[] = {{"exp", mpfr_exp},
                                {"log", mpfr_log},
                                {"sqrt", mpfr_sqrt},
                                {"rsqrt", reciprocal_root},
                                {"recip", reciprocal}};

// Computes in one format. Not to be mixed with other uses of MPFR in the same thread: it sets the
// exponent range.
class Mpfr {
 public:
    explicit Mpfr(Format format) {
        mpfr_set_emin(format.least);
        mpfr_set_emax(format.greatest);
        mpfr_init2(result_, format.precision);
        for (auto& operand : operands_) mpfr_init2(operand, 53);
    }
    ~Mpfr() {
        mpfr_clear(result_);
        for (auto& operand : operands_) mpfr_clear(operand);
    }
    Mpfr(const Mpfr&) = delete;
    Mpfr& operator=(const Mpfr&) = delete;

    // The arguments must be values of the format. Results are exact in a double.
    double unary(Function function, double x) {
        mpfr_set_d(operands_[0], x, MPFR_RNDN);
        return finish(function(result_, operands_[0], MPFR_RNDN));
    }
    double divide(double a, double b) {
        set(a, b);
        return finish(mpfr_div(result_, operands_[0], operands_[1], MPFR_RNDN));
    }
    double fmod(double a, double b) {
        set(a, b);
        return finish(mpfr_fmod(result_, operands_[0], operands_[1], MPFR_RNDN));
    }
    double add(double a, double b) {
        set(a, b);
        return finish(mpfr_add(result_, operands_[0], operands_[1], MPFR_RNDN));
    }
    double multiply(double a, double b) {
        set(a, b);
        return finish(mpfr_mul(result_, operands_[0], operands_[1], MPFR_RNDN));
    }
    double fma(double a, double b, double c) {
        set(a, b, c);
        return finish(mpfr_fma(result_, operands_[0], operands_[1], operands_[2], MPFR_RNDN));
    }

 private:
    void set(double a, double b, double c = 0) {
        mpfr_set_d(operands_[0], a, MPFR_RNDN);
        mpfr_set_d(operands_[1], b, MPFR_RNDN);
        mpfr_set_d(operands_[2], c, MPFR_RNDN);
    }
    double finish(int ternary) {
        mpfr_subnormalize(result_, ternary, MPFR_RNDN);
        return mpfr_get_d(result_, MPFR_RNDN);
    }

    mpfr_t result_;
    mpfr_t operands_[3];
};

}  // namespace ptosim::oracle
