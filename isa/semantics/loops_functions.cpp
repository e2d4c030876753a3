// Loops over functions of several steps: products with sums, exponentials, remainders, powers.
#include "isa/numeric/functions.h"
#include "isa/semantics/flush.h"
#include "isa/semantics/loop_kinds.h"

namespace ptosim::semantics {

namespace {

template <typename F>
constexpr BinaryLoops floats(F f) {
    BinaryLoops loops;
    set_floats(loops, f);
    return loops;
}

constexpr TernaryLoops fused_sums() {
    constexpr auto kFused = [](auto a, auto b, auto c) { return fma(a, b, c); };
    using F = decltype(kFused);
    TernaryLoops loops;
    loops.set(DType::kF32, &ternary_loop<float, F>);
    loops.set(DType::kF16, &ternary_loop<Half, F, false>);
    loops.set(DType::kBF16, &ternary_loop<BFloat16, F, false>);
    return loops;
}

// ---- e^(a - b)

// f32: the difference, and its exponential for a whole run.
void expdif(const std::byte* a, const std::byte* b, std::byte* out, int64_t count) {
    loops::kSub[DType::kF32](a, b, out, count);
    auto* const lanes = reinterpret_cast<float*>(out);
    exp_rn(lanes, lanes, static_cast<size_t>(count));
}
// Under other profiles in the element type (profile rule expdif-in-f16).
struct Expdif {
    template <typename T>
    T operator()(T a, T b) const {
        return exp_rn(sub(a, b));
    }
};
struct FlushedExpdif {
    float operator()(float a, float b) const { return flushed(exp_rn(flushed(sub(a, b)))); }
};

constexpr BinaryLoops exponentials(bool by_steps) {
    BinaryLoops loops;
    loops.set(DType::kF32, &expdif);
    loops.set(DType::kF16, by_steps ? &binary_loop<Half, Expdif, false> : &binary_as_floats<DType::kF16, &expdif>);
    loops.set(DType::kBF16,
              by_steps ? &binary_loop<BFloat16, Expdif, false> : &binary_as_floats<DType::kBF16, &expdif>);
    return loops;
}
constexpr BinaryLoops flushed_exponentials() {
    BinaryLoops loops;
    loops.set(DType::kF32, &binary_loop<float, FlushedExpdif, false>);
    return loops;
}

// ---- remainders

struct Fmod {
    // The sign of the dividend (C's fmod and %). By zero: NaN, or the dividend for integers, which no
    // source defines (N01).
    template <typename T>
    T operator()(T a, T b) const {
        if constexpr (is_float_v<T>) {
            return fmod_exact(a, b);
        } else {
            if (b == 0) return a;
            if constexpr (std::is_signed_v<T>)
                if (b == -1) return 0;
            return static_cast<T>(a % b);
        }
    }
};
struct Rem {
    // The sign of the divisor (floor modulo, PTO-ISA/pto-spec elementwise.asl; hw-native-sys/pto-isa
    // docs/isa/TREM.md), also on a zero.
    template <typename T>
    T operator()(T a, T b) const {
        const T rest = Fmod{}(a, b);
        if constexpr (is_float_v<T>) {
            const float r = to_float(rest);
            const float divisor = to_float(b);
            if (r == 0.0F) return round_to<T>(std::copysign(0.0F, divisor));
            return (r < 0.0F) != (divisor < 0.0F) && !is_nan(rest) ? add(rest, b) : rest;
        } else {
            return b != 0 && rest != 0 && (rest < 0) != (b < 0) ? add_lane(rest, b) : rest;
        }
    }
};
// The 64-bit integers of a5 have the sign of the dividend (profile rule wide-division-by-zero).
struct WideRem {
    template <typename T>
    T operator()(T a, T b) const {
        return b == 0 ? T{0} : Fmod{}(a, b);
    }
};

// Wraps. A negative exponent gives the reciprocal towards zero: 0 unless the base is 1 or -1
// (0 for base 0 as well).
template <typename T>
T pow_lane(T base, T exponent) {
    if (exponent == 0 || base == 1) return 1;
    if constexpr (std::is_signed_v<T>) {
        if (exponent < 0) {
            if (base != -1) return 0;
            return exponent % 2 == 0 ? T{1} : T{-1};
        }
    }
    T result = 1;
    for (auto rest = wrapping(exponent); rest != 0; rest >>= 1) {
        if ((rest & 1) != 0) result = mul_lane(result, base);
        base = mul_lane(base, base);
    }
    return result;
}
struct Pow {
    template <typename T>
    T operator()(T base, T exponent) const {
        if constexpr (is_float_v<T>)
            return pow_rn(base, exponent);
        else
            return pow_lane(base, exponent);
    }
};

// Functions without a vector in them.
template <typename F>
constexpr BinaryLoops one_by_one(F) {
    BinaryLoops loops;
    loops.set(DType::kF32, &binary_loop<float, F, false>);
    loops.set(DType::kF16, &binary_loop<Half, F, false>);
    loops.set(DType::kBF16, &binary_loop<BFloat16, F, false>);
    loops.set(DType::kI8, &binary_loop<int8_t, F, false>);
    loops.set(DType::kU8, &binary_loop<uint8_t, F, false>);
    loops.set(DType::kI16, &binary_loop<int16_t, F, false>);
    loops.set(DType::kU16, &binary_loop<uint16_t, F, false>);
    loops.set(DType::kI32, &binary_loop<int32_t, F, false>);
    loops.set(DType::kU32, &binary_loop<uint32_t, F, false>);
    loops.set(DType::kI64, &binary_loop<int64_t, F, false>);
    loops.set(DType::kU64, &binary_loop<uint64_t, F, false>);
    return loops;
}
template <typename F>
constexpr BinaryLoops remainders(F f) {
    BinaryLoops loops = one_by_one(f);
    loops.set(DType::kF16, &binary_as_floats<DType::kF16, &binary_loop<float, F, false>>);
    return loops;
}
constexpr BinaryLoops wide_remainders() {
    BinaryLoops loops;
    loops.set(DType::kI64, &binary_loop<int64_t, WideRem>);
    loops.set(DType::kU64, &binary_loop<uint64_t, WideRem>);
    return loops;
}
constexpr BinaryLoops powers_in_f32() {
    BinaryLoops loops = one_by_one(Pow{});
    constexpr BinaryLoop kFloat = &binary_loop<float, Pow, false>;
    loops.set(DType::kF16, &binary_as_floats<DType::kF16, kFloat>);
    loops.set(DType::kBF16, &binary_as_floats<DType::kBF16, kFloat>);
    return loops;
}

}  // namespace

namespace loops {

constinit const BinaryLoops kLeaky = floats([](float a, float b) { return a > 0.0F ? a : mul(a, b); });
constinit const BinaryLoops kLeakyFromZero = floats([](float a, float b) { return a >= 0.0F ? a : mul(a, b); });
constinit const TernaryLoops kFma = fused_sums();
constinit const BinaryLoops kExpdif = exponentials(false);
constinit const BinaryLoops kExpdifSteps = exponentials(true);
constinit const BinaryLoops kFlushedExpdif = flushed_exponentials();
constinit const BinaryLoops kFmod = remainders(Fmod{});
constinit const BinaryLoops kRem = remainders(Rem{});
constinit const BinaryLoops kWideRem = wide_remainders();
constinit const BinaryLoops kPow = one_by_one(Pow{});
constinit const BinaryLoops kPowInF32 = powers_in_f32();

}  // namespace loops

}  // namespace ptosim::semantics
