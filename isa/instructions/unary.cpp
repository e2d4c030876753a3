// One tile: dst(i, j) = f(src(i, j)).
#include <atomic>
#include <mutex>
#include <vector>

#include "isa/instructions/assembler_rules.h"
#include "isa/instructions/row.h"
#include "isa/numeric/wide.h"
#include "isa/semantics/flush.h"
#include "isa/semantics/implementation_defined.h"
#include "isa/semantics/walks.h"

namespace ptosim::semantics {

void TNEG(const Execution& e) { unary(e, loops::kNeg); }
void TABS(const Execution& e) { unary(e, loops::kAbs); }
void TRELU(const Execution& e) { unary(e, loops::kRelu); }
void TNOT(const Execution& e) { unary(e, loops::kNot); }

namespace {

// All results of a function of one 16-bit lane, by the bits of its argument. Building them pays after many lanes.
class ResultTable {
 public:
    // True if the table is to be used for `lanes` more.
    bool pays(int64_t lanes) {
        constexpr int64_t kWorthWhile = 1 << 14;
        return lanes_.fetch_add(lanes, std::memory_order_relaxed) >= kWorthWhile;
    }
    const uint16_t* results(FunctionRef<uint16_t(uint16_t)> function) {
        std::call_once(built_, [&] {
            results_.resize(size_t{1} << 16);
            for (size_t i = 0; i < results_.size(); ++i) results_[i] = function(static_cast<uint16_t>(i));
        });
        return results_.data();
    }

 private:
    std::atomic<int64_t> lanes_{0};
    std::once_flag built_;
    std::vector<uint16_t> results_;
};

// A function of floats, for which isa/numeric has a faster version for a whole run of f32.
struct FloatFunction {
    void (*run)(const float*, float*, size_t);
    uint16_t (*half)(uint16_t);
    uint16_t (*bfloat16)(uint16_t);
    ResultTable &half_results, &bfloat16_results;
};

void look_up(const uint16_t* results, const std::byte* a, std::byte* out, int64_t count) {
    PTO_INDEPENDENT
    for (int64_t at = 0; at < 2 * count; at += 2) store(out + at, results[load<uint16_t>(a + at)]);
}

// Results for 16-bit floats come from a table as soon as building it pays.
void compute(const Execution& e, const FloatFunction& function) {
    const DType type = e.tile(0).dtype;
    if (type == DType::kF32) {
        walk(e, {0, 1}, [&](const Run& run) {
            function.run(reinterpret_cast<const float*>(run.in[0]), reinterpret_cast<float*>(run.out),
                         static_cast<size_t>(run.count));
        });
        return;
    }
    if (type != DType::kF16 && type != DType::kBF16) fail_type(type);
    const auto of_lane = type == DType::kF16 ? function.half : function.bfloat16;
    ResultTable& table = type == DType::kF16 ? function.half_results : function.bfloat16_results;
    const bool pays = table.pays(int64_t{e.tile(0).valid_rows} * e.tile(0).valid_cols);
    const uint16_t* const results = pays ? table.results(of_lane) : nullptr;
    walk(e, {0, 1}, [=](const Run& run) {
        if (results != nullptr)
            look_up(results, run.in[0], run.out, run.count);
        else
            for (int64_t at = 0; at < 2 * run.count; at += 2) store(run.out + at, of_lane(load<uint16_t>(run.in[0] + at)));
    });
}

// The same function of f32 with subnormals as zeros.
void compute_flushing(const Execution& e, const FloatFunction& function) {
    walk(e, {0, 1}, [&](const Run& run) {
        alignas(64) float kept[kChunk];
        for (int64_t done = 0; done < run.count; done += kChunk) {
            const auto some = static_cast<size_t>(std::min<int64_t>(kChunk, run.count - done));
            for (size_t i = 0; i < some; ++i) kept[i] = flushed(load<float>(run.in[0] + 4 * (done + i)));
            function.run(kept, kept, some);
            for (size_t i = 0; i < some; ++i) store(run.out + 4 * (done + i), flushed(kept[i]));
        }
    });
}

// `F` calls an overloaded function of isa/numeric/functions.h.
template <typename F>
const FloatFunction& function_of(F) {
    static auto& half = *new ResultTable;
    static auto& bfloat16 = *new ResultTable;
    static const FloatFunction function{
        [](const float* a, float* out, size_t count) { F{}(a, out, count); },
        [](uint16_t a) { return F{}(Half{a}).bits; }, [](uint16_t a) { return F{}(BFloat16{a}).bits; }, half,
        bfloat16};
    return function;
}

UnaryLoop roots(const Execution& e) { return (flushes(e) ? loops::kFlushedSqrt : loops::kSqrt)[e.tile(0).dtype]; }
UnaryLoop reciprocals(const Execution& e) {
    return (flushes(e) ? loops::kFlushedRecip : loops::kRecip)[e.tile(0).dtype];
}

}  // namespace

void TEXP(const Execution& e) {
    (flushes(e) ? compute_flushing : compute)(e, function_of([](auto... a) { return exp_rn(a...); }));
}
void TLOG(const Execution& e) {
    (flushes(e) ? compute_flushing : compute)(e, function_of([](auto... a) { return log_rn(a...); }));
}
void TRSQRT(const Execution& e) {
    if (!is_a5(e.numerics)) return compute(e, function_of([](auto... a) { return rsqrt_rn(a...); }));
    // Profile rule "rsqrt-of-two-steps".
    walk(e, {0, 1}, [root = roots(e), reciprocal = reciprocals(e)](const Run& run) {
        root(run.in[0], run.out, run.count);
        reciprocal(run.out, run.out, run.count);
    });
}
void TSQRT(const Execution& e) { unary(e, roots(e)); }
void TRECIP(const Execution& e) { unary(e, reciprocals(e)); }

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
