// Subnormal numbers where a profile takes them for zero (profile rule flush-subnormals-a5).
#pragma once

#include "isa/semantics/arithmetic.h"

namespace ptosim::semantics {

// Whether the instruction's divisions, exponentials, logarithms and roots do: those of one vector
// instruction on a5. HIGH_PRECISION is a program of several, which keeps them.
inline bool flushes(const Execution& e) {
    return is_a5(e.numerics) && !e.instruction.attributes.high_precision;
}

// A subnormal as the zero of its sign; any other value, and integers, as they are.
template <typename T>
T flushed(T value) {
    if constexpr (is_float_v<T>) {
        const float least = std::is_same_v<T, Half> ? 0x1p-14F : 0x1p-126F;
        const float wide = to_float(value);
        return wide < least && wide > -least ? round_to<T>(wide * 0.0F) : value;
    } else {
        return value;
    }
}

// f with its operands and its result flushed. kHalf: floats are values of f16, as loops over f16
// have them, and results are flushed after they have been rounded to it.
template <bool kHalf, typename F>
auto flushing(F f) {
    return [f](auto... lanes) {
        if constexpr (kHalf && (std::is_same_v<decltype(lanes), float> && ...))
            return to_float(
                flushed(round_to<Half>(f(to_float(flushed(round_to<Half>(lanes)))...))));
        else
            return flushed(f(flushed(lanes)...));
    };
}

// run(f), of an instruction whose profile flushes with f made to.
template <typename F, typename Run>
void run_flushing(const Execution& e, F f, Run run) {
    if (!flushes(e))
        run(f);
    else if (e.tile(0).dtype == DType::kF16)
        run(flushing<true>(f));
    else
        run(flushing<false>(f));
}

}  // namespace ptosim::semantics
