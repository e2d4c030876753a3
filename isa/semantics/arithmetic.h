// The arithmetic of one lane, for floats (one rounding each, canonical NaN) and integers (results
// keep their low bits). Free of branches where it can be, so that loops over it are vectorised.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>
#include <type_traits>

#include "isa/numeric/functions.h"
#include "isa/semantics/lanes.h"

namespace ptosim::semantics {

// Integer arithmetic is done in an unsigned type of at least 32 bits: it wraps, and never
// overflows a promoted int.
template <typename T>
using Wrapping = std::conditional_t<sizeof(T) == 8, uint64_t, uint32_t>;

template <typename T>
constexpr Wrapping<T> wrapping(T value) {
    return static_cast<Wrapping<T>>(value);
}

template <typename T>
constexpr T zero() {
    if constexpr (is_float_v<T>)
        return round_to<T>(0.0F);
    else
        return T{0};
}

template <typename T>
T add_lane(T a, T b) {
    if constexpr (is_float_v<T>)
        return add(a, b);
    else
        return static_cast<T>(wrapping(a) + wrapping(b));
}

template <typename T>
T sub_lane(T a, T b) {
    if constexpr (is_float_v<T>)
        return sub(a, b);
    else
        return static_cast<T>(wrapping(a) - wrapping(b));
}

template <typename T>
T mul_lane(T a, T b) {
    if constexpr (is_float_v<T>)
        return mul(a, b);
    else
        return static_cast<T>(wrapping(a) * wrapping(b));
}

// Computes f(a, b), but 0 where the a5 profile divides 64-bit integers by zero (profile rule
// wide-division-by-zero).
template <typename F>
auto divides(const Execution& e, F f) {
    return [f, a5 = is_a5(e.numerics)](auto a, auto b) {
        using T = decltype(f(a, b));
        if constexpr (std::is_integral_v<T> && sizeof(T) == 8)
            if (a5 && b == 0) return T{0};
        return f(a, b);
    };
}

// Integers are divided towards zero; a division by zero gives all ones, which no source defines (diagnosed as N01 if
// the divisor is known); the minimum divided by -1 wraps.
template <typename T>
T div_lane(T a, T b) {
    if constexpr (std::is_same_v<T, float>) {
        return canonical(a / b);
    } else if constexpr (std::is_same_v<T, Half>) {
        // A float has more than 2p + 2 bits of a half: rounding twice rounds as once.
        return round_to_half(to_float(a) / to_float(b));
    } else if constexpr (is_float_v<T>) {
        return div_rn(a, b);
    } else {
        if (b == 0) return static_cast<T>(~wrapping(T{0}));
        if constexpr (std::is_signed_v<T>)
            if (b == -1) return static_cast<T>(Wrapping<T>{0} - wrapping(a));
        return static_cast<T>(a / b);
    }
}

// Like min_num and max_num of isa/numeric/arithmetic.h, without branches.
inline float min_lane(float a, float b) {
    const uint32_t both = std::bit_cast<uint32_t>(a) | std::bit_cast<uint32_t>(b);
    float result = a < b ? a : b;
    result = a == b ? std::bit_cast<float>(both) : result;  // -0 is less than +0
    result = is_nan(a) ? b : result;
    result = is_nan(b) ? a : result;
    return canonical(result);
}

inline float max_lane(float a, float b) {
    const uint32_t both = std::bit_cast<uint32_t>(a) & std::bit_cast<uint32_t>(b);
    float result = a > b ? a : b;
    result = a == b ? std::bit_cast<float>(both) : result;
    result = is_nan(a) ? b : result;
    result = is_nan(b) ? a : result;
    return canonical(result);
}

template <typename T>
T min_lane(T a, T b) {
    if constexpr (is_float_v<T>)
        return round_to<T>(min_lane(to_float(a), to_float(b)));
    else
        return a < b ? a : b;
}

template <typename T>
T max_lane(T a, T b) {
    if constexpr (is_float_v<T>)
        return round_to<T>(max_lane(to_float(a), to_float(b)));
    else
        return a > b ? a : b;
}

// The greater or the lesser lane. If one of them is NaN, hardware returns NaN (profile rules extremes-keep-nan,
// extremes-keep-nan-a5), and ieee the number.
template <bool kGreatest>
class Extreme {
public:
    explicit Extreme(Numerics numerics) : keeps_nan_{numerics != Numerics::kIEEE} {}
    template <typename T>
    T operator()(T a, T b) const {
        if constexpr (std::is_same_v<T, float>) {
            const float number = kGreatest ? max_lane(a, b) : min_lane(a, b);
            return keeps_nan_ && std::isunordered(a, b) ? canonical(a + b) : number;
        } else if constexpr (is_float_v<T>) {
            return round_to<T>((*this)(to_float(a), to_float(b)));
        } else {
            return kGreatest ? max_lane(a, b) : min_lane(a, b);
        }
    }

private:
    bool keeps_nan_;
};
using Greatest = Extreme<true>;
using Least = Extreme<false>;

// Value that an atomic access leaves in the place of `old`.
template <typename T>
T combine(AtomicMode mode, T old, T value) {
    switch (mode) {
        case AtomicMode::kNone:
            return value;
        case AtomicMode::kAdd:
            return add_lane(old, value);
        case AtomicMode::kMax:
            return max_lane(old, value);
        case AtomicMode::kMin:
            return min_lane(old, value);
    }
    return value;
}

template <typename T>
T neg_lane(T a) {
    if constexpr (is_float_v<T>)
        return round_to<T>(-to_float(a));
    else
        return static_cast<T>(Wrapping<T>{0} - wrapping(a));
}

template <typename T>
T abs_lane(T a) {
    if constexpr (is_float_v<T>) {
        const uint32_t magnitude = std::bit_cast<uint32_t>(to_float(a)) & 0x7FFFFFFFu;
        return round_to<T>(std::bit_cast<float>(magnitude));
    } else if constexpr (std::is_signed_v<T>) {
        return a < 0 ? neg_lane(a) : a;
    } else {
        return a;
    }
}

// max(a, +0): a NaN stays one, and -0 becomes +0 (PTO-ISA/pto-spec
// asl/tile/model/execution/unary.asl).
template <typename T>
T relu_lane(T a) {
    if constexpr (is_float_v<T>) {
        const float value = to_float(a);
        return round_to<T>(value > 0.0F || is_nan(value) ? value : 0.0F);
    } else {
        return a > T{0} ? a : T{0};
    }
}

template <typename T>
T sqrt_lane(T a) {
    if constexpr (std::is_same_v<T, BFloat16>)
        return sqrt_rn(a);
    else
        return round_to<T>(std::sqrt(to_float(a)));  // IEEE 754 rounds a square root correctly
}

// The count is taken modulo the width (PTO-ISA/pto-spec asl/tile/model/execution/
// elementwise.asl); pto-isa leaves larger counts undefined (N04).
template <typename T>
T shl_lane(T a, T count) {
    const unsigned shift = static_cast<unsigned>(count) & (8 * sizeof(T) - 1);
    return static_cast<T>(wrapping(a) << shift);
}

// Arithmetic for signed types, logical for unsigned ones.
template <typename T>
T shr_lane(T a, T count) {
    const unsigned shift = static_cast<unsigned>(count) & (8 * sizeof(T) - 1);
    return static_cast<T>(a >> shift);
}

// True if a count is too large or negative.
template <typename T>
bool shifts_out(T count) {
    if constexpr (sizeof(T) == 8) return false;  // a5 takes these counts modulo 64
    return static_cast<std::make_unsigned_t<T>>(count) >= 8 * sizeof(T);
}

// The same shift; counts of at least the width shift everything out (profile rule "shift-out").
template <typename T>
T shl_all_lane(T a, T count) {
    return shifts_out(count) ? T{0} : shl_lane(a, count);
}
template <typename T>
T shr_all_lane(T a, T count) {
    return shr_lane(a, shifts_out(count) ? static_cast<T>(8 * sizeof(T) - 1) : count) &
           static_cast<T>(std::is_unsigned_v<T> && shifts_out(count) ? 0 : ~T{0});
}

}  // namespace ptosim::semantics
