// Remainders and powers.
#include "isa/instructions/remainder_rules.h"
#include "isa/instructions/row.h"
#include "isa/semantics/elementwise.h"
#include "isa/semantics/tile_regions.h"
#include "isa/semantics/undefined_behaviour.h"

namespace ptosim::semantics {

namespace {

// The sign of the dividend (C's fmod and %). By zero: NaN, or the dividend for integers, which no
// source defines (N01).
template <typename T>
T fmod_lane(T a, T b) {
    if constexpr (is_float_v<T>) {
        return fmod_exact(a, b);
    } else {
        if (b == 0) return a;
        if constexpr (std::is_signed_v<T>)
            if (b == -1) return 0;
        return static_cast<T>(a % b);
    }
}

// The sign of the divisor (floor modulo, PTO-ISA/pto-spec elementwise.asl; hw-native-sys/pto-isa
// docs/isa/TREM.md), also on a zero.
template <typename T>
T rem_lane(T a, T b) {
    const T rest = fmod_lane(a, b);
    if constexpr (is_float_v<T>) {
        const float r = to_float(rest);
        const float divisor = to_float(b);
        if (r == 0.0F) return round_to<T>(std::copysign(0.0F, divisor));
        return (r < 0.0F) != (divisor < 0.0F) && !is_nan(rest) ? add(rest, b) : rest;
    } else {
        return b != 0 && rest != 0 && (rest < 0) != (b < 0) ? add_lane(rest, b) : rest;
    }
}

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

// On a5, 16-bit floats become f32 and back (profile rule power-in-f32).
template <typename T>
T pow_any(T base, T exponent, bool in_f32) {
    if constexpr (is_float_v<T>) {
        if (in_f32) return round_to<T>(pow_rn(to_float(base), to_float(exponent)));
        return pow_rn(base, exponent);
    } else {
        return pow_lane(base, exponent);
    }
}

// The 64-bit integers of a5 have the sign of the dividend (profile rule wide-division-by-zero).
auto remainder_of(const Execution& e) {
    return divides(e, [a5 = is_a5(e.numerics)](auto a, auto b) {
        using T = decltype(a);
        if constexpr (std::is_integral_v<T> && sizeof(T) == 8)
            if (a5) return fmod_lane(a, b);
        return rem_lane(a, b);
    });
}

}  // namespace

void TREM(const Execution& e) { binary(e, remainder_of(e)); }
void TREMS(const Execution& e) { binary_scalar(e, remainder_of(e)); }
void TFMOD(const Execution& e) {
    binary(e, [](auto a, auto b) { return fmod_lane(a, b); });
}
void TFMODS(const Execution& e) {
    binary_scalar(e, [](auto a, auto b) { return fmod_lane(a, b); });
}

void TPOW(const Execution& e) {
    visit_arithmetic(e.tile(0).dtype, [&](auto type) {
        map_binary<decltype(type)>(e, 0, 1, 2, [in_f32 = is_a5(e.numerics)](auto a, auto b) {
            return pow_any(a, b, in_f32);
        });
    });
}
void TPOWS(const Execution& e) {
    visit_arithmetic(e.tile(0).dtype, [&](auto type) {
        using T = decltype(type);
        const T scalar = scalar_as<T>(e.scalar(2));
        const bool in_f32 = is_a5(e.numerics);
        map_unary<T>(e, 0, 1, [&](const T* a, T* out, int count) {
            for (int i = 0; i < count; ++i) out[i] = pow_any(a[i], scalar, in_f32);
        });
    });
}

// ---- functions that its rows name ------------------------------------------------------------

namespace {

// hw-native-sys/pto-isa docs/isa/{TREM,TREMS,TPOW}.md: "tmp".
uint64_t scratch_of_remainder(const Instruction& instruction) {
    const Tile& dst = instruction.tile(0);
    return bytes(dst.dtype, static_cast<size_t>(dst.cols + (dst.cols + 63) / 64 * 2));
}
uint64_t scratch_of_scalar_remainder(const Instruction& instruction) {
    const Tile& dst = instruction.tile(0);
    return bytes(dst.dtype, static_cast<size_t>(dst.valid_cols));
}

// hw-native-sys/pto-isa include/pto/npu/a2a3/{TRem,TRemS}.hpp: the product of quotient and divisor is
// in dst when the dividend is read again, and both are needed for the sign; scratch has the quotient.
constexpr std::array kRemainderWrites{EarlyWrite{0, 1}, EarlyWrite{0, 2}, EarlyWrite{3, 0},
                                      EarlyWrite{3, 1}, EarlyWrite{3, 2}};
constexpr std::array kScalarRemainderWrites{EarlyWrite{0, 1}, EarlyWrite{3, 0}, EarlyWrite{3, 1}};

// The result if dst is an operand that later steps still read, element for element (TFmod.hpp, TFmodS.hpp, TRem.hpp,
// TRemS.hpp). If dst is the dividend, the product of quotient and divisor is subtracted from itself (in TFMODS, the
// scalar divisor from itself); if dst is the divisor of TFMOD, the quotient is multiplied by itself.
bool remainder_over_source(const Execution& e, const EarlyWrite& write) {
    const Opcode opcode = e.instruction.opcode;
    const Tile &dst = e.tile(0), &read = e.tile(write.read);
    const bool over_divisor = write.read == 2;
    if (write.written != 0 || dst.address != read.address || dst.pitch != read.pitch ||
        dst.dtype != DType::kF32 || (over_divisor && opcode != Opcode::kTFMOD))
        return false;
    const auto rest = [=](float a, float b) {
        const float quotient = std::trunc((opcode == Opcode::kTFMODS ? b : a) / b);
        if (over_divisor) return sub(a, mul(quotient, quotient));
        const float product = mul(quotient, b);
        return sub(product, product);
    };
    if (e.instruction.operands[2].is_tile())
        map_binary<float>(e, 0, 1, 2, rest);
    else
        map_unary<float>(e, 0, 1, [&](const float* a, float* out, int count) {
            for (int i = 0; i < count; ++i) out[i] = rest(a[i], scalar_as<float>(e.scalar(2)));
        });
    return true;
}

}  // namespace

}  // namespace ptosim::semantics

namespace ptosim::rows {
#include "isa/instructions/remainder.def"
}  // namespace ptosim::rows
