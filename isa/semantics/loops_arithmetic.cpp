// Sums, differences, products, quotients, extremes, signs.
#include "isa/semantics/flush.h"
#include "isa/semantics/loop_kinds.h"

namespace ptosim::semantics {

namespace {

// Lane functions as arguments: they are overloaded for every element type.
#define PTO_LANES(FUNCTION) [](auto a, auto b) { return FUNCTION(a, b); }
#define PTO_LANE(FUNCTION) [](auto a) { return FUNCTION(a); }

// f16 by instructions of the host, if it has them.
template <HalfOperation kHalf, bool kWrapping, typename F>
constexpr BinaryLoops arithmetic(F f) {
    BinaryLoops loops;
    set_floats(loops, f);
    loops.set(DType::kF16, &half_loop<kHalf>);
    set_direct(loops, f);
    loops.set_with_element(DType::kF16, nullptr);
    set_integers<kWrapping, true>(loops, f);
    return loops;
}

template <bool kWrapping, typename F>
constexpr UnaryLoops numbers(F f) {
    UnaryLoops loops;
    set_floats(loops, f);
    loops.set(DType::kBF16, &unary_loop<BFloat16, F>);
    set_integers<kWrapping>(loops, f);
    return loops;
}

template <bool kGreatest>
struct Number {
    template <typename T>
    T operator()(T a, T b) const {
        return kGreatest ? max_lane(a, b) : min_lane(a, b);
    }
};
template <bool kGreatest>
struct NumberOrNan {
    float operator()(float a, float b) const {
        const float number = Number<kGreatest>{}(a, b);
        return std::isunordered(a, b) ? canonical(a + b) : number;
    }
    template <typename T>
    T operator()(T a, T b) const {
        return round_to<T>((*this)(to_float(a), to_float(b)));
    }
};
template <bool kGreatest>
constexpr BinaryLoops numbers_of_two() {
    BinaryLoops loops;
    set_floats(loops, Number<kGreatest>{});
    set_direct(loops, Number<kGreatest>{});
    set_integers<false, true>(loops, Number<kGreatest>{});
    return loops;
}
template <bool kGreatest>
constexpr BinaryLoops numbers_or_nan() {
    BinaryLoops loops = numbers_of_two<kGreatest>();
    set_floats(loops, NumberOrNan<kGreatest>{});
    set_direct(loops, NumberOrNan<kGreatest>{});
    return loops;
}

constexpr auto kDivide = PTO_LANES(div_lane);

constexpr BinaryLoops quotients() {
    BinaryLoops loops;
    set_floats(loops, kDivide);
    loops.set(DType::kF16, &half_loop<HalfOperation::kDiv>);
    set_integers<false>(loops, kDivide);
    return loops;
}
constexpr BinaryLoops wide_quotients() {
    constexpr auto kOrZero = [](auto a, auto b) { return b == 0 ? decltype(a){0} : div_lane(a, b); };
    BinaryLoops loops;
    loops.set(DType::kI64, &binary_loop<int64_t, decltype(kOrZero)>);
    loops.set(DType::kU64, &binary_loop<uint64_t, decltype(kOrZero)>);
    return loops;
}
constexpr BinaryLoops flushed_quotients() {
    constexpr auto kFlushed = [](float a, float b) { return flushed(div_lane(flushed(a), flushed(b))); };
    BinaryLoops loops;
    loops.set(DType::kF32, &binary_loop<float, decltype(kFlushed)>);
    return loops;
}

constexpr UnaryLoops roots() {
    UnaryLoops loops;
    set_floats(loops, [](float a) { return sqrt_lane(a); });
    return loops;
}
constexpr UnaryLoops reciprocals() {
    UnaryLoops loops;
    set_floats(loops, [](float a) { return div_lane(1.0F, a); });
    return loops;
}
constexpr UnaryLoops flushed_reciprocals() {
    constexpr auto kFlushed = [](float a) { return flushed(div_lane(1.0F, flushed(a))); };
    UnaryLoops loops;
    loops.set(DType::kF32, &unary_loop<float, decltype(kFlushed)>);
    return loops;
}
template <typename F>
constexpr BinaryLoops rectified(F f) {
    BinaryLoops loops;
    set_floats(loops, f);
    loops.set(DType::kI16, &binary_loop<int16_t, F>);
    loops.set(DType::kI32, &binary_loop<int32_t, F>);
    return loops;
}
constexpr UnaryLoops flushed_roots() {
    constexpr auto kFlushed = [](float a) { return flushed(sqrt_lane(flushed(a))); };
    UnaryLoops loops;
    loops.set(DType::kF32, &unary_loop<float, decltype(kFlushed)>);
    return loops;
}

}  // namespace

namespace loops {

constinit const BinaryLoops kAdd = arithmetic<HalfOperation::kAdd, true>(PTO_LANES(add_lane));
constinit const BinaryLoops kSub = arithmetic<HalfOperation::kSub, true>(PTO_LANES(sub_lane));
constinit const BinaryLoops kMul = arithmetic<HalfOperation::kMul, true>(PTO_LANES(mul_lane));
constinit const BinaryLoops kDiv = quotients();
constinit const BinaryLoops kWideDiv = wide_quotients();
constinit const BinaryLoops kFlushedDiv = flushed_quotients();
constinit const BinaryLoops kMin = numbers_of_two<false>();
constinit const BinaryLoops kMax = numbers_of_two<true>();
constinit const BinaryLoops kMinOrNan = numbers_or_nan<false>();
constinit const BinaryLoops kMaxOrNan = numbers_or_nan<true>();
constinit const UnaryLoops kNeg = numbers<true>(PTO_LANE(neg_lane));
constinit const UnaryLoops kAbs = numbers<false>(PTO_LANE(abs_lane));
constinit const UnaryLoops kRelu = numbers<false>(PTO_LANE(relu_lane));
constinit const UnaryLoops kSqrt = roots();
constinit const UnaryLoops kRecip = reciprocals();
constinit const UnaryLoops kFlushedSqrt = flushed_roots();
constinit const UnaryLoops kFlushedRecip = flushed_reciprocals();
constinit const BinaryLoops kAddRelu = rectified([](auto a, auto b) { return relu_lane(add_lane(a, b)); });
constinit const BinaryLoops kSubRelu = rectified([](auto a, auto b) { return relu_lane(sub_lane(a, b)); });

}  // namespace loops

#undef PTO_LANE
#undef PTO_LANES

}  // namespace ptosim::semantics
