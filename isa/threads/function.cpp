#include "isa/threads/function.h"

#include <cmath>

#include "isa/numeric/convert.h"
#include "isa/numeric/functions.h"
#include "isa/threads/typed.h"

namespace ptosim {
namespace {

template <class T>
T narrowed(float value) {
    if constexpr (std::is_same_v<T, Half>)
        return round_to_half(value);
    else if constexpr (std::is_same_v<T, BFloat16>)
        return round_to_bfloat16(value);
    else
        return value;
}
inline float widened(float value) { return value; }
inline float widened(Half value) { return to_float(value); }
inline float widened(BFloat16 value) { return to_float(value); }

template <class T>
T function_of(ThreadFunction function, T a, T b) {
    const auto integral = [&](RoundMode mode) { return narrowed<T>(round_to_integral(widened(a), mode)); };
    switch (function) {
        case ThreadFunction::kExp:
            return exp_rn(a);
        case ThreadFunction::kLog:
            return log_rn(a);
        case ThreadFunction::kSqrt:
            return sqrt_rn(a);
        case ThreadFunction::kPow:
            return pow_rn(a, b);
        case ThreadFunction::kFloor:
            return integral(RoundMode::kFloor);
        case ThreadFunction::kCeil:
            return integral(RoundMode::kCeil);
        case ThreadFunction::kRint:
            return integral(RoundMode::kRint);
        case ThreadFunction::kRound:
            return integral(RoundMode::kRound);
        default:
            return narrowed<T>(std::fabs(widened(a)));
    }
}

}  // namespace

std::optional<uint64_t> function_result(ThreadFunction function, DType type, uint64_t a, uint64_t b) {
    std::optional<uint64_t> result;
    with_thread_type(type, [&](auto zero) {
        using T = decltype(zero);
        if constexpr (!std::is_integral_v<T>)
            result = low_bits(function_of<T>(function, from_low_bits<T>(a), from_low_bits<T>(b)));
    });
    return result;
}

}  // namespace ptosim
