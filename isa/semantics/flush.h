// Subnormal numbers where a profile takes them for zero (profile rule flush-subnormals-a5).
#pragma once

#include "isa/semantics/arithmetic.h"

namespace ptosim::semantics {

// True if the instruction's divisions, exponentials, logarithms and roots flush subnormals: they do in f32 by one
// vector instruction on a5. HIGH_PRECISION is a program of several instructions, which keeps subnormals, and a suite
// shows that f16 keeps them (hw-native-sys/pto-isa tests/npu/a5/src/st/testcase/trecip).
inline bool flushes(const Execution& e) {
    return is_a5(e.numerics) && !e.instruction.attributes.high_precision &&
           e.tile(0).dtype == DType::kF32;
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

// f with its operands and its result flushed.
template <typename F>
auto flushing(F f) {
    return [f](auto... lanes) { return flushed(f(flushed(lanes)...)); };
}

}  // namespace ptosim::semantics
