// One tile: dst(i, j) = f(src(i, j)).
#include <atomic>
#include <vector>

#include "isa/instructions/assembler_rules.h"
#include "isa/instructions/row.h"
#include "isa/semantics/elementwise.h"
#include "isa/semantics/flush.h"
#include "isa/semantics/implementation_defined.h"

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

template <typename T, typename F>
void unary_float_plain(const Execution& e, F f) {
    map_unary<T>(e, 0, 1, [&](const T* a, T* out, int count) {
        for (int i = 0; i < count; ++i) out[i] = f(a[i]);
    });
}

// Lane functions that round once.
template <typename F>
void unary_float_lanes(const Execution& e, F f) {
    visit_float(e.tile(0).dtype, [&](auto type) { unary_lanes<decltype(type)>(e, f); });
}

// All results of a function of one 16-bit lane, by the bits of its argument.
template <typename T, typename Lane>
std::vector<T> results_of(Lane lane) {
    static_assert(sizeof(T) == 2);
    std::vector<T> results(size_t{1} << 16);
    for (size_t i = 0; i < results.size(); ++i) results[i] = lane(T{static_cast<uint16_t>(i)});
    return results;
}

// Functions for which isa/numeric has a faster version for a whole run of floats. Results for 16-bit floats come from a
// table as soon as building it pays.
template <typename Lane, typename Run>
void unary_float_run(const Execution& e, Lane lane, Run&& run) {
    visit_float(e.tile(0).dtype, [&](auto type) {
        using T = decltype(type);
        if constexpr (std::is_same_v<T, float>) {
            const auto in_place = [&](const auto& lanes, int64_t count) {
                run(reinterpret_cast<const float*>(lanes[1]), reinterpret_cast<float*>(lanes[0]),
                    static_cast<size_t>(count));
            };
            if (for_runs<float, 2>(e, {0, 1}, in_place)) return;
            map_unary<float>(e, 0, 1, [&](const float* a, float* out, int count) {
                run(a, out, static_cast<size_t>(count));
            });
        } else {
            constexpr int64_t kWorthWhile = 1 << 14;  // lanes
            static std::atomic<int64_t> lanes{0};
            const int64_t before = lanes.fetch_add(
                int64_t{e.tile(0).valid_rows} * e.tile(0).valid_cols, std::memory_order_relaxed);
            if (before < kWorthWhile) {
                unary_float_plain<T>(e, lane);
                return;
            }
            static const std::vector<T> results = results_of<T>(lane);
            unary_float_plain<T>(e, [table = results.data()](T a) { return table[a.bits]; });
        }
    });
}

// The same function with subnormals as zeros, if the profile requires it.
template <typename Lane, typename Run>
void unary_float_function(const Execution& e, Lane lane, Run run) {
    if (!flushes(e)) return unary_float_run(e, lane, run);
    unary_float_run(e, flushing(lane), [run](const float* a, float* out, size_t count) {
        alignas(64) float kept[kChunk];
        for (size_t done = 0; done < count; done += kChunk) {
            const size_t some = std::min<size_t>(kChunk, count - done);
            for (size_t i = 0; i < some; ++i) kept[i] = flushed(a[done + i]);
            run(kept, out + done, some);
            for (size_t i = 0; i < some; ++i) out[done + i] = flushed(out[done + i]);
        }
    });
}
template <typename F>
void unary_float_step(const Execution& e, F f) {
    run_flushing(e, f, [&](auto lane) { unary_float_lanes(e, lane); });
}

}  // namespace

void TEXP(const Execution& e) {
    unary_float_function(
        e, [](auto a) { return exp_rn(a); },
        [](const float* a, float* out, size_t count) { exp_rn(a, out, count); });
}
void TLOG(const Execution& e) {
    unary_float_function(
        e, [](auto a) { return log_rn(a); },
        [](const float* a, float* out, size_t count) { log_rn(a, out, count); });
}
void TRSQRT(const Execution& e) {
    if (is_a5(e.numerics)) {  // profile rule "rsqrt-of-two-steps"
        const auto steps = [](auto a) {
            return div_lane(round_to<decltype(a)>(1.0F), sqrt_lane(a));
        };
        return run_flushing(e, steps, [&](auto lane) {
            visit_float(e.tile(0).dtype,
                        [&](auto type) { unary_float_plain<decltype(type)>(e, lane); });
        });
    }
    unary_float_run(
        e, [](auto a) { return rsqrt_rn(a); },
        [](const float* a, float* out, size_t count) { rsqrt_rn(a, out, count); });
}
void TSQRT(const Execution& e) {
    unary_float_step(e, [](auto a) { return sqrt_lane(a); });
}
void TRECIP(const Execution& e) {
    unary_float_step(e, [](auto a) { return div_lane(round_to<decltype(a)>(1.0F), a); });
}

// ---- functions that its rows name ------------------------------------------------------------

namespace {

constexpr std::string_view kFunctionRule = "high-precision-is-default";

void check_positive(ImplementationDefinedCheck& check) {
    check.floats("N02", 1, " is zero or negative:", kFunctionRule, [](float x) { return x <= 0; });
}
void check_not_negative(ImplementationDefinedCheck& check) {
    check.floats("N02", 1, " is negative:", kFunctionRule, [](float x) { return x < 0; });
}
void check_not_zero(ImplementationDefinedCheck& check) {
    check.floats("N02", 1, " is zero, and 1 is divided by it:", kFunctionRule,
                 [](float x) { return x == 0; });
}

}  // namespace

}  // namespace ptosim::semantics

namespace ptosim::rows {

namespace {

void inverse_root_form(const WrittenOperation& op) {
    op.require(!op.instruction.attributes.high_precision || op.given("tmp"), "S16",
               "with high_precision needs a scratch tile");
}

}  // namespace

#include "isa/instructions/unary.def"
}  // namespace ptosim::rows
