#include <limits>

#include "isa/intrinsics/vector_row.h"
#include "isa/numeric/functions.h"
#include "isa/numeric/half_lanes.h"
#include "isa/semantics/arithmetic.h"
#include "isa/semantics/flush.h"

namespace ptosim::vector_operations {
namespace {

using namespace ptosim::semantics;

// f of each lane.
template <typename T, typename F>
void map(VectorLanes& v, F f) {
    const auto a = v.source<T>(0);
    std::array<T, VectorLanes::kLanes<T>> out;
    for (int i = 0; i < VectorLanes::kLanes<T>; ++i) out[i] = f(a[i]);
    v.set_result<T>(out);
}
template <typename T, typename F>
void map2(VectorLanes& v, F f) {
    const auto a = v.source<T>(0), b = v.source<T>(1);
    std::array<T, VectorLanes::kLanes<T>> out;
    for (int i = 0; i < VectorLanes::kLanes<T>; ++i) out[i] = f(a[i], b[i]);
    v.set_result<T>(out);
}
template <typename T, typename F>
void map3(VectorLanes& v, F f) {
    const auto a = v.source<T>(0), b = v.source<T>(1), c = v.source<T>(2);
    std::array<T, VectorLanes::kLanes<T>> out;
    for (int i = 0; i < VectorLanes::kLanes<T>; ++i) out[i] = f(a[i], b[i], c[i]);
    v.set_result<T>(out);
}

template <typename F>
void unary(VectorLanes& v, F f) {
    visit_lanes(v, [&](auto type) { map<decltype(type)>(v, f); });
}
template <typename F>
void binary(VectorLanes& v, F f) {
    visit_lanes(v, [&](auto type) { map2<decltype(type)>(v, f); });
}
template <typename F>
void with_scalar(VectorLanes& v, F f) {
    visit_lanes(v, [&](auto type) {
        using T = decltype(type);
        map<T>(v, [f, b = v.scalar<T>()](T a) { return f(a, b); });
    });
}
// The same operation, with f16 processed as runs of lanes.
template <HalfOperation kOperation, typename F>
void arithmetic(VectorLanes& v, F f) {
    if (v.operation().type != DType::kF16) return binary(v, f);
    constexpr int kCount = VectorLanes::kLanes<Half>;
    const auto a = v.source<Half>(0), b = v.source<Half>(1);
    std::array<Half, kCount> out;
    compute(kOperation, a.data(), b.data(), out.data(), kCount);
    v.set_result<Half>(out);
}
template <HalfOperation kOperation, typename F>
void arithmetic_with_scalar(VectorLanes& v, F f) {
    if (v.operation().type != DType::kF16) return with_scalar(v, f);
    constexpr int kCount = VectorLanes::kLanes<Half>;
    const auto a = v.source<Half>(0);
    std::array<Half, kCount> out;
    out.fill(v.scalar<Half>());
    compute(kOperation, a.data(), out.data(), out.data(), kCount);
    v.set_result<Half>(out);
}
template <typename F>
void on_integers(VectorLanes& v, F f) {
    visit_integer(v.operation().type, [&](auto type) { f(type); });
}
template <typename F>
void on_floats(VectorLanes& v, F f) {
    visit_float(v.operation().type, [&](auto type) { f(type); });
}

// Functions of which a5 takes subnormal f32 for zero (profile rule flush-subnormals-a5).
template <typename F>
void flushing_unary(VectorLanes& v, F f) {
    on_floats(v, [&](auto type) {
        using T = decltype(type);
        if (std::is_same_v<T, float> && is_a5(v.numerics()))
            map<T>(v, flushing(f));
        else
            map<T>(v, f);
    });
}

// A function of runs of f32, and of lanes f of other types and where a5 flushes.
using RunFunction = void (*)(const float*, float*, size_t);
template <typename F>
void function(VectorLanes& v, RunFunction run, F f) {
    if (v.operation().type != DType::kF32 || is_a5(v.numerics())) return flushing_unary(v, f);
    auto lanes = v.source<float>(0);
    run(lanes.data(), lanes.data(), lanes.size());
    v.set_result<float>(lanes);
}

template <typename T>
bool compares(VectorMode mode, T a, T b) {
    const auto [x, y] = [&] {
        if constexpr (is_float_v<T>)
            return std::pair{to_float(a), to_float(b)};
        else
            return std::pair{a, b};
    }();
    switch (mode) {
        case VectorMode::kEq:
            return x == y;
        case VectorMode::kNe:
            return x != y;
        case VectorMode::kLt:
            return x < y;
        case VectorMode::kLe:
            return x <= y;
        case VectorMode::kGt:
            return x > y;
        default:
            return x >= y;
    }
}

// A bit for each active lane of which f is true; all bits of other lanes, and the other bits of
// these, are 0.
template <typename T, typename F>
void set_lanes(VectorLanes& v, F f, unsigned result = 0) {
    VectorLanes::Bits bits{};
    for (int i = 0; i < VectorLanes::kLanes<T>; ++i)
        bits[static_cast<size_t>(i) * sizeof(T)] = v.active(i, sizeof(T)) && f(i);
    v.set_predicate(bits, result);
}

// a + b + carry, of 32 bits; a difference adds the complement of b.
template <typename F>
void add_with_carry(VectorLanes& v, bool complement, F carry) {
    const auto a = v.source<uint32_t>(0), b = v.source<uint32_t>(1);
    std::array<uint32_t, VectorLanes::kLanes<uint32_t>> low;
    std::array<bool, VectorLanes::kLanes<uint32_t>> high;
    for (int i = 0; i < VectorLanes::kLanes<uint32_t>; ++i) {
        const uint64_t sum = uint64_t{a[i]} + (complement ? ~b[i] : b[i]) + carry(i);
        low[i] = static_cast<uint32_t>(sum);
        high[i] = sum >> 32 != 0;
    }
    v.set_result<uint32_t>(low);
    set_lanes<uint32_t>(
        v, [&](int i) { return high[i]; }, 1);
}

// a * b + c. Under a5 the product of f16 is rounded first (fused-rounds-f16-product-a5).
template <typename T>
T fused(Numerics numerics, T a, T b, T c) {
    if constexpr (std::is_same_v<T, Half>)
        if (is_a5(numerics)) return add_lane(mul_lane(a, b), c);
    if constexpr (is_float_v<T>)
        return fma(a, b, c);
    else
        return add_lane(mul_lane(a, b), c);
}

// exp(a - b) of lanes of T, the first of which is `first`, as f32.
template <typename T>
void exponential_of_difference(VectorLanes& v, int first) {
    constexpr int kStep = sizeof(float) / sizeof(T);
    const auto a = v.source<T>(0), b = v.source<T>(1);
    std::array<float, VectorLanes::kLanes<float>> out;
    for (int i = 0; i < VectorLanes::kLanes<float>; ++i) {
        const int at = i * kStep + first;
        out[i] = v.active(at, sizeof(T)) ? exp_rn(sub(to_float(a[at]), to_float(b[at]))) : 0.0F;
    }
    std::memcpy(v.result_bytes(), out.data(), kVectorBytes);
}

}  // namespace

void VADD(VectorLanes& v) {
    arithmetic<HalfOperation::kAdd>(v, [](auto a, auto b) { return add_lane(a, b); });
}
void VSUB(VectorLanes& v) {
    arithmetic<HalfOperation::kSub>(v, [](auto a, auto b) { return sub_lane(a, b); });
}
void VMUL(VectorLanes& v) {
    arithmetic<HalfOperation::kMul>(v, [](auto a, auto b) { return mul_lane(a, b); });
}
void VDIV(VectorLanes& v) {
    visit_lanes(v, [&](auto type) {
        using T = decltype(type);
        const auto divide = [](T a, T b) { return div_lane(a, b); };
        if (std::is_same_v<T, float> && is_a5(v.numerics()))
            map2<T>(v, flushing(divide));
        else
            map2<T>(v, divide);
    });
}
// By zero all ones, as TDIV.
void VMOD(VectorLanes& v) {
    on_integers(v, [&](auto type) {
        using T = decltype(type);
        map2<T>(v, [](T a, T b) -> T {
            if (b == 0) return static_cast<T>(~T{0});
            if constexpr (std::is_signed_v<T>) {
                if (b == -1) return 0;
                const T rest = static_cast<T>(a % b);
                return rest != 0 && (rest < 0) != (b < 0) ? static_cast<T>(rest + b) : rest;
            } else {
                return static_cast<T>(a % b);
            }
        });
    });
}
void VMAX(VectorLanes& v) { binary(v, Greatest{v.numerics()}); }
void VMIN(VectorLanes& v) { binary(v, Least{v.numerics()}); }
void VAND(VectorLanes& v) {
    visit_lane_bits(v, [&](auto type) {
        using T = decltype(type);
        map2<T>(v, [](T a, T b) { return static_cast<T>(a & b); });
    });
}
void VOR(VectorLanes& v) {
    visit_lane_bits(v, [&](auto type) {
        using T = decltype(type);
        map2<T>(v, [](T a, T b) { return static_cast<T>(a | b); });
    });
}
void VXOR(VectorLanes& v) {
    visit_lane_bits(v, [&](auto type) {
        using T = decltype(type);
        map2<T>(v, [](T a, T b) { return static_cast<T>(a ^ b); });
    });
}
void VSHL(VectorLanes& v) {
    on_integers(v, [&](auto type) {
        using T = decltype(type);
        map2<T>(v, [all = is_a5(v.numerics())](T a, T b) { return all ? shl_all_lane(a, b) : shl_lane(a, b); });
    });
}
void VSHR(VectorLanes& v) {
    on_integers(v, [&](auto type) {
        using T = decltype(type);
        map2<T>(v, [all = is_a5(v.numerics())](T a, T b) { return all ? shr_all_lane(a, b) : shr_lane(a, b); });
    });
}
void VADDS(VectorLanes& v) {
    arithmetic_with_scalar<HalfOperation::kAdd>(v, [](auto a, auto b) { return add_lane(a, b); });
}
void VMULS(VectorLanes& v) {
    arithmetic_with_scalar<HalfOperation::kMul>(v, [](auto a, auto b) { return mul_lane(a, b); });
}
void VMAXS(VectorLanes& v) { with_scalar(v, Greatest{v.numerics()}); }
void VMINS(VectorLanes& v) { with_scalar(v, Least{v.numerics()}); }
void VSHLS(VectorLanes& v) {
    on_integers(v, [&](auto type) {
        using T = decltype(type);
        map<T>(v, [b = v.scalar<T>(), all = is_a5(v.numerics())](T a) {
            return all ? shl_all_lane(a, b) : shl_lane(a, b);
        });
    });
}
void VSHRS(VectorLanes& v) {
    on_integers(v, [&](auto type) {
        using T = decltype(type);
        map<T>(v, [b = v.scalar<T>(), all = is_a5(v.numerics())](T a) {
            return all ? shr_all_lane(a, b) : shr_lane(a, b);
        });
    });
}
void VLRELU(VectorLanes& v) {
    on_floats(v, [&](auto type) {
        using T = decltype(type);
        map<T>(v, [b = v.scalar<T>()](T a) { return to_float(a) >= 0 ? a : mul_lane(a, b); });
    });
}
void VPRELU(VectorLanes& v) {
    on_floats(v, [&](auto type) {
        using T = decltype(type);
        map2<T>(v, [](T a, T b) { return to_float(a) >= 0 ? a : mul_lane(a, b); });
    });
}
void VABS(VectorLanes& v) {
    unary(v, [](auto a) { return abs_lane(a); });
}
void VNEG(VectorLanes& v) {
    unary(v, [](auto a) { return neg_lane(a); });
}
void VRELU(VectorLanes& v) {
    unary(v, [](auto a) { return relu_lane(a); });
}
void VNOT(VectorLanes& v) {
    visit_lane_bits(v, [&](auto type) {
        using T = decltype(type);
        map<T>(v, [](T a) { return static_cast<T>(~a); });
    });
}
void VEXP(VectorLanes& v) {
    function(v, exp_rn, [](auto a) { return exp_rn(a); });
}
void VLN(VectorLanes& v) {
    function(v, log_rn, [](auto a) { return log_rn(a); });
}
void VSQRT(VectorLanes& v) {
    flushing_unary(v, [](auto a) { return sqrt_lane(a); });
}
void VEXPDIF(VectorLanes& v) {
    const int first = v.operation().mode == VectorMode::kPart1 ? 1 : 0;
    on_floats(v, [&](auto type) {
        using T = decltype(type);
        exponential_of_difference<T>(v, sizeof(T) == sizeof(float) ? 0 : first);
    });
}
void VMULA(VectorLanes& v) {
    visit_lanes(v, [&](auto type) {
        using T = decltype(type);
        map3<T>(v, [n = v.numerics()](T a, T b, T c) { return fused(n, b, c, a); });
    });
}
void VMADD(VectorLanes& v) {
    visit_lanes(v, [&](auto type) {
        using T = decltype(type);
        map3<T>(v, [n = v.numerics()](T a, T b, T c) { return fused(n, a, b, c); });
    });
}
void VAXPY(VectorLanes& v) {
    on_floats(v, [&](auto type) {
        using T = decltype(type);
        map2<T>(v, [s = v.scalar<T>()](T a, T b) { return fma(s, a, b); });
    });
}
void VMULL(VectorLanes& v) {
    const auto a = v.source<uint32_t>(0), b = v.source<uint32_t>(1);
    const bool is_signed = v.operation().type == DType::kI32;
    std::array<uint32_t, VectorLanes::kLanes<uint32_t>> low, high;
    for (int i = 0; i < VectorLanes::kLanes<uint32_t>; ++i) {
        const uint64_t product = is_signed
                                     ? static_cast<uint64_t>(int64_t{static_cast<int32_t>(a[i])} *
                                                             static_cast<int32_t>(b[i]))
                                     : uint64_t{a[i]} * b[i];
        low[i] = static_cast<uint32_t>(product);
        high[i] = static_cast<uint32_t>(product >> 32);
    }
    v.set_result<uint32_t>(low, 0);
    v.set_result<uint32_t>(high, 1);
}
void VADDC(VectorLanes& v) {
    add_with_carry(v, false, [](int) { return 0; });
}
void VSUBC(VectorLanes& v) {
    add_with_carry(v, true, [](int) { return 1; });
}
void VADDCS(VectorLanes& v) {
    add_with_carry(v, false, [in = v.predicate(2)](int i) { return in[4 * i]; });
}
void VSUBCS(VectorLanes& v) {
    add_with_carry(v, true, [in = v.predicate(2)](int i) { return in[4 * i]; });
}
void VCMP(VectorLanes& v) {
    visit_lanes(v, [&](auto type) {
        using T = decltype(type);
        const auto a = v.source<T>(0), b = v.source<T>(1);
        set_lanes<T>(v, [&](int i) { return compares(v.operation().mode, a[i], b[i]); });
    });
}
void VCMPS(VectorLanes& v) {
    visit_lanes(v, [&](auto type) {
        using T = decltype(type);
        const auto a = v.source<T>(0);
        const T b = v.scalar<T>();
        set_lanes<T>(v, [&](int i) { return compares(v.operation().mode, a[i], b); });
    });
}
void VSEL(VectorLanes& v) {
    const VectorLanes::Bits chosen = v.predicate(2);
    visit_lane_bits(v, [&](auto type) {
        using T = decltype(type);
        const auto a = v.source<T>(0), b = v.source<T>(1);
        std::array<T, VectorLanes::kLanes<T>> out;
        for (int i = 0; i < VectorLanes::kLanes<T>; ++i)
            out[i] = chosen[static_cast<size_t>(i) * sizeof(T)] != 0 ? a[i] : b[i];
        v.set_result<T>(out);
    });
}
void VMOV(VectorLanes& v) {
    visit_lane_bits(v, [&](auto type) { map<decltype(type)>(v, [](auto a) { return a; }); });
}

}  // namespace ptosim::vector_operations

namespace ptosim::vector_rows {
#include "isa/intrinsics/vector_arithmetic.def"
}
