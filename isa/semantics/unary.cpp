// One tile: dst(i, j) = f(src(i, j)).
#include "isa/semantics/elementwise.h"

namespace ptosim::semantics {

void TNEG(const Execution& e) {
    unary(e, [](auto a) { return neg_lane(a); });
}
void TABS(const Execution& e) {
    unary(e, [](auto a) { return abs_lane(a); });
}
void TRELU(const Execution& e) {
    unary(e, [](auto a) { return relu_lane(a); });
}

void TNOT(const Execution& e) {
    visit_bits(e.tile(0).dtype, [&](auto type) {
        using T = decltype(type);
        map_unary<T>(e, 0, 1, [](const T* a, T* out, int count) {
            for (int i = 0; i < count; ++i) out[i] = static_cast<T>(~a[i]);
        });
    });
}

namespace {

template <typename F>
void unary_float(const Execution& e, F&& f) {
    visit_float(e.tile(0).dtype, [&](auto type) {
        using T = decltype(type);
        map_unary<T>(e, 0, 1, [&](const T* a, T* out, int count) {
            for (int i = 0; i < count; ++i) out[i] = f(a[i]);
        });
    });
}

// Lane functions that round once.
template <typename F>
void unary_float_lanes(const Execution& e, F f) {
    visit_float(e.tile(0).dtype, [&](auto type) { unary_lanes<decltype(type)>(e, f); });
}

// The functions that isa/numeric also has for a whole run of floats, which is faster.
template <typename Lane, typename Run>
void unary_float_run(const Execution& e, Lane&& lane, Run&& run) {
    if (e.tile(0).dtype == DType::kF32) {
        map_unary<float>(e, 0, 1, [&](const float* a, float* out, int count) {
            run(a, out, static_cast<size_t>(count));
        });
    } else {
        unary_float(e, lane);
    }
}

}  // namespace

void TEXP(const Execution& e) {
    unary_float_run(
        e, [](auto a) { return exp_rn(a); },
        [](const float* a, float* out, size_t count) { exp_rn(a, out, count); });
}
void TLOG(const Execution& e) {
    unary_float_run(
        e, [](auto a) { return log_rn(a); },
        [](const float* a, float* out, size_t count) { log_rn(a, out, count); });
}
void TRSQRT(const Execution& e) {
    if (e.numerics == Numerics::kA5)  // profile rule "rsqrt-of-two-steps"
        return unary_float_lanes(
            e, [](auto a) { return div_lane(round_to<decltype(a)>(1.0F), sqrt_lane(a)); });
    unary_float_run(
        e, [](auto a) { return rsqrt_rn(a); },
        [](const float* a, float* out, size_t count) { rsqrt_rn(a, out, count); });
}
void TSQRT(const Execution& e) {
    unary_float_lanes(e, [](auto a) { return sqrt_lane(a); });
}
void TRECIP(const Execution& e) {
    unary_float_lanes(e, [](auto a) { return div_lane(round_to<decltype(a)>(1.0F), a); });
}

}  // namespace ptosim::semantics
