#include "isa/intrinsics/vector_row.h"
#include "isa/numeric/functions.h"
#include "isa/semantics/flush.h"
#include "isa/semantics/loop_kinds.h"
#include "isa/semantics/walks.h"

namespace ptosim::vector_operations {
namespace {

using namespace ptosim::semantics;

// Everything but the other five is "greater or equal".
CompareMode compare_mode(VectorMode mode) {
    switch (mode) {
        case VectorMode::kEq:
            return CompareMode::kEq;
        case VectorMode::kNe:
            return CompareMode::kNe;
        case VectorMode::kLt:
            return CompareMode::kLt;
        case VectorMode::kLe:
            return CompareMode::kLe;
        case VectorMode::kGt:
            return CompareMode::kGt;
        default:
            return CompareMode::kGe;
    }
}

int64_t count_of(const VectorLanes& v) { return kVectorBytes * 8 / bits(v.operation().type); }
void set(VectorLanes& v, const LaneBytes& lanes) { v.set_lanes(lanes.bytes, bytes(v.operation().type, 1)); }

void unary(VectorLanes& v, const UnaryLoops& loops) {
    LaneBytes out;
    loops[v.operation().type](v.source_bytes(0), out.bytes, count_of(v));
    set(v, out);
}
void binary(VectorLanes& v, const BinaryLoops& loops) {
    LaneBytes out;
    loops[v.operation().type](v.source_bytes(0), v.source_bytes(1), out.bytes, count_of(v));
    set(v, out);
}
// The scalar operand in each lane.
LaneBytes scalar_lanes(const VectorLanes& v, uint64_t scalar) {
    LaneBytes lanes;
    repeat_lane(reinterpret_cast<const std::byte*>(&scalar), bytes(v.operation().type, 1),
                static_cast<int>(count_of(v)), lanes.bytes);
    return lanes;
}
LaneBytes scalar_lanes(const VectorLanes& v) { return scalar_lanes(v, v.operation().scalar); }
void with_scalar(VectorLanes& v, const BinaryLoops& loops, uint64_t scalar) {
    const DType type = v.operation().type;
    LaneBytes out;
    if (const ElementLoop loop = loops.with_element(type))
        loop(v.source_bytes(0), scalar, out.bytes, count_of(v));
    else
        loops[type](v.source_bytes(0), scalar_lanes(v, scalar).bytes, out.bytes, count_of(v));
    set(v, out);
}
void with_scalar(VectorLanes& v, const BinaryLoops& loops) {
    with_scalar(v, loops, v.operation().scalar);
}
// A negative count shifts the other way: asc-devkit shifts 64-bit integers by more than 32 with
// counts of 32 less the count (ShiftRightsB64Impl, ShiftLeftsB64Impl).
void shift_by_scalar(VectorLanes& v, const BinaryLoops& ahead, const BinaryLoops& back) {
    const size_t width = bits(v.operation().type);
    const uint64_t scalar = v.operation().scalar;
    const bool negative = width < 64 && (scalar >> (width - 1) & 1) != 0;
    with_scalar(v, negative ? back : ahead,
                negative ? -scalar & ((uint64_t{1} << width) - 1) : scalar);
}
// a * b + c: fused of floats. Under a5 the product of f16 is rounded first (fused-rounds-f16-product-a5).
void multiply_and_add(VectorLanes& v, const std::byte* a, const std::byte* b, const std::byte* c) {
    const DType type = v.operation().type;
    LaneBytes out;
    if (is_integer(type) || (type == DType::kF16 && is_a5(v.numerics()))) {
        loops::kMul[type](a, b, out.bytes, count_of(v));
        loops::kAdd[type](out.bytes, c, out.bytes, count_of(v));
    } else {
        loops::kFma[type](a, b, c, out.bytes, count_of(v));
    }
    set(v, out);
}
template <typename F>
void on_floats(VectorLanes& v, F f) {
    visit_float(v.operation().type, [&](auto type) { f(type); });
}

// True for functions of which a5 takes subnormal f32 for zero (profile rule flush-subnormals-a5).
bool flushes_lanes(const VectorLanes& v) { return v.operation().type == DType::kF32 && is_a5(v.numerics()); }

// A function of runs of f32, and of lanes f of other types.
using RunFunction = void (*)(const float*, float*, size_t);
template <typename F>
void function(VectorLanes& v, RunFunction run, F f) {
    on_floats(v, [&](auto type) {
        using T = decltype(type);
        auto lanes = v.source<T>(0);
        if constexpr (std::is_same_v<T, float>) {
            const bool flushing = flushes_lanes(v);
            if (flushing)
                for (float& lane : lanes) lane = flushed(lane);
            run(lanes.data(), lanes.data(), lanes.size());
            if (flushing)
                for (float& lane : lanes) lane = flushed(lane);
        } else {
            for (T& lane : lanes) lane = f(lane);
        }
        v.set_result<T>(lanes);
    });
}

void compare(VectorLanes& v, const std::byte* other) {
    const VectorOperation& op = v.operation();
    LaneBytes holds;
    compare_run(compare_mode(op.mode), op.type, v.source_bytes(0), other, holds.bytes, count_of(v));
    v.set_holding(holds.bytes, bytes(op.type, 1));
}

// a + b + carry, of 32 bits; a difference adds the complement of b.
template <typename F>
void add_with_carry(VectorLanes& v, bool complement, F carry) {
    const auto a = v.source<uint32_t>(0), b = v.source<uint32_t>(1);
    std::array<uint32_t, VectorLanes::kLanes<uint32_t>> low;
    std::array<std::byte, VectorLanes::kLanes<uint32_t>> high;
    for (int i = 0; i < VectorLanes::kLanes<uint32_t>; ++i) {
        const uint64_t sum = uint64_t{a[i]} + (complement ? ~b[i] : b[i]) + carry(i);
        low[i] = static_cast<uint32_t>(sum);
        high[i] = static_cast<std::byte>(sum >> 32 != 0);
    }
    v.set_result<uint32_t>(low);
    v.set_holding(high.data(), sizeof(uint32_t), 1);
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

// By zero all ones, as TDIV.
struct Modulus {
    template <typename T>
    T operator()(T a, T b) const {
        if (b == 0) return static_cast<T>(~T{0});
        if constexpr (std::is_signed_v<T>) {
            if (b == -1) return 0;
            const T rest = static_cast<T>(a % b);
            return rest != 0 && (rest < 0) != (b < 0) ? static_cast<T>(rest + b) : rest;
        } else {
            return static_cast<T>(a % b);
        }
    }
};
constexpr BinaryLoops moduli() {
    BinaryLoops loops;
    set_integers<false>(loops, Modulus{});
    return loops;
}
constexpr BinaryLoops kModuli = moduli();

}  // namespace

void VADD(VectorLanes& v) { binary(v, loops::kAdd); }
void VSUB(VectorLanes& v) { binary(v, loops::kSub); }
void VMUL(VectorLanes& v) { binary(v, loops::kMul); }
void VDIV(VectorLanes& v) { binary(v, flushes_lanes(v) ? loops::kFlushedDiv : loops::kDiv); }
void VMOD(VectorLanes& v) { binary(v, kModuli); }
void VMAX(VectorLanes& v) { binary(v, greatest(v.numerics())); }
void VMIN(VectorLanes& v) { binary(v, least(v.numerics())); }
void VAND(VectorLanes& v) { binary(v, loops::kAnd); }
void VOR(VectorLanes& v) { binary(v, loops::kOr); }
void VXOR(VectorLanes& v) { binary(v, loops::kXor); }
void VSHL(VectorLanes& v) { binary(v, is_a5(v.numerics()) ? loops::kShlAll : loops::kShl); }
void VSHR(VectorLanes& v) { binary(v, is_a5(v.numerics()) ? loops::kShrAll : loops::kShr); }
void VADDS(VectorLanes& v) { with_scalar(v, loops::kAdd); }
void VMULS(VectorLanes& v) { with_scalar(v, loops::kMul); }
void VMAXS(VectorLanes& v) { with_scalar(v, greatest(v.numerics())); }
void VMINS(VectorLanes& v) { with_scalar(v, least(v.numerics())); }
void VSHLS(VectorLanes& v) {
    if (!is_a5(v.numerics())) return with_scalar(v, loops::kShl);
    shift_by_scalar(v, loops::kShlAll, loops::kShrAll);
}
void VSHRS(VectorLanes& v) {
    if (!is_a5(v.numerics())) return with_scalar(v, loops::kShr);
    shift_by_scalar(v, loops::kShrAll, loops::kShlAll);
}
void VLRELU(VectorLanes& v) { with_scalar(v, loops::kLeakyFromZero); }
void VPRELU(VectorLanes& v) { binary(v, loops::kLeakyFromZero); }
void VABS(VectorLanes& v) { unary(v, loops::kAbs); }
void VNEG(VectorLanes& v) { unary(v, loops::kNeg); }
void VRELU(VectorLanes& v) { unary(v, loops::kRelu); }
void VNOT(VectorLanes& v) { unary(v, loops::kNot); }
void VEXP(VectorLanes& v) {
    function(v, exp_rn, [](auto a) { return exp_rn(a); });
}
void VLN(VectorLanes& v) {
    function(v, log_rn, [](auto a) { return log_rn(a); });
}
void VSQRT(VectorLanes& v) { unary(v, flushes_lanes(v) ? loops::kFlushedSqrt : loops::kSqrt); }
void VEXPDIF(VectorLanes& v) {
    const int first = v.operation().mode == VectorMode::kPart1 ? 1 : 0;
    on_floats(v, [&](auto type) {
        using T = decltype(type);
        exponential_of_difference<T>(v, sizeof(T) == sizeof(float) ? 0 : first);
    });
}
void VMULA(VectorLanes& v) { multiply_and_add(v, v.source_bytes(1), v.source_bytes(2), v.source_bytes(0)); }
void VMADD(VectorLanes& v) { multiply_and_add(v, v.source_bytes(0), v.source_bytes(1), v.source_bytes(2)); }
void VAXPY(VectorLanes& v) {
    const LaneBytes scalars = scalar_lanes(v);
    LaneBytes out;
    loops::kFma[v.operation().type](scalars.bytes, v.source_bytes(0), v.source_bytes(1), out.bytes, count_of(v));
    set(v, out);
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
void VCMP(VectorLanes& v) { compare(v, v.source_bytes(1)); }
void VCMPS(VectorLanes& v) { compare(v, scalar_lanes(v).bytes); }
void VSEL(VectorLanes& v) {
    LaneBytes out;
    merge_lanes(bytes(v.operation().type, 1), v.source_bytes(0), v.source_bytes(2), v.source_bytes(1), out.bytes);
    set(v, out);
}
void VMOV(VectorLanes& v) {
    LaneBytes out;
    std::memcpy(out.bytes, v.source_bytes(0), kVectorBytes);
    set(v, out);
}

}  // namespace ptosim::vector_operations

namespace ptosim::vector_rows {
#include "isa/intrinsics/vector_arithmetic.def"
}
