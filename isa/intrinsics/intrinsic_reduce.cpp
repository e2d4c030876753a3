#include "isa/intrinsics/intrinsic_row.h"
#include "isa/semantics/ordering.h"

namespace ptosim::intrinsics {
namespace {

using namespace ptosim::semantics;

constexpr uint32_t kSrc = 1;
constexpr unsigned kLast = 6;  // argument: mode of vcadd, order of vcmax

template <VectorOpcode kOp>
void reduced(IntrinsicRun& run) {
    const DType type = run.type(kSrc);
    run.for_repeats([&] {
        run.load(kSrc, kSrc);
        run.set_predicate(type);
        run.calculate({.opcode = kOp, .type = type, .sources = {kSrc}, .masked = true});
        run.store(IntrinsicRun::kResult, kDst);
    });
}

// Sums of `count` neighbouring lanes each, in kResult: neighbours are added, then neighbours of the sums. Every sum
// saturates if CTRL requires it.
void add_neighbours(IntrinsicRun& run, unsigned count) {
    const DType type = run.type(kSrc);
    run.load(kSrc, kSrc);
    run.set_predicate(type);
    run.calculate(
        {.opcode = VectorOpcode::kVCPADD, .type = type, .sources = {kSrc}, .masked = true});
    for (count /= 2; count > 1; count /= 2)
        run.calculate(
            {.opcode = VectorOpcode::kVCPADD, .type = type, .sources = {IntrinsicRun::kResult}});
}

void sums_of_blocks(IntrinsicRun& run) {
    run.for_repeats([&] {
        add_neighbours(run, static_cast<unsigned>(kBlockBytes / bytes(run.type(kSrc), 1)));
        run.store(IntrinsicRun::kResult, kDst);
    });
}

void sum_of_repeat(IntrinsicRun& run) {
    visit_float(run.type(kSrc), [&](auto type) {
        using T = decltype(type);
        T sum = zero<T>();
        run.for_repeats([&] {
            add_neighbours(run, run.lanes());
            run.store(IntrinsicRun::kResult, kDst);  // nothing with mode 1
            sum = add(sum, load<T>(run.register_bytes(IntrinsicRun::kResult)));
        });
        if (run.argument(kLast) == 0) return;
        run.state.acc_val = 0;
        std::memcpy(&run.state.acc_val, &sum, sizeof(T));
    });
}

// Values of the order argument for a value and its index (kPair of isa/intrinsics/intrinsic_layout.cpp).
enum Order : uint64_t { kValueIndex, kIndexValue, kOnlyValue, kOnlyIndex };

template <typename T>
void put_pair(std::byte* to, uint64_t order, T value, uint32_t index) {
    using Index = std::conditional_t<sizeof(T) == 2, uint16_t, uint32_t>;
    const auto narrow = static_cast<Index>(index);
    if (order == kOnlyIndex) return store(to, index);
    if (order == kIndexValue) store(to, narrow);
    if (order == kValueIndex) store(to + sizeof(T), narrow);
    store(to + (order == kIndexValue ? sizeof(T) : 0), value);
}

template <bool kGreatest>
void argument_of_repeat(IntrinsicRun& run) {
    visit_float(run.type(kSrc), [&](auto type) {
        using T = decltype(type);
        const BetterLane<kGreatest> better{run.numerics()};
        bool any = false;
        T best_of_all{};
        uint64_t at_of_all = 0;
        run.for_repeats([&] {
            run.load(kSrc, kSrc);
            int at = -1;
            T best{};
            for (unsigned i = 0; i < run.lanes(); ++i) {
                if (!is_active(run.mask, i)) continue;
                const T lane = load<T>(run.register_bytes(kSrc) + i * sizeof(T));
                if (at >= 0 && !better(lane, best)) continue;
                best = lane;
                at = static_cast<int>(i);
            }
            if (at < 0) return;
            put_pair(run.register_bytes(IntrinsicRun::kResult), run.argument(kLast), best,
                     static_cast<uint32_t>(at));
            run.store(IntrinsicRun::kResult, kDst);
            if (any && !better(best, best_of_all)) return;
            any = true;
            best_of_all = best;
            at_of_all = uint64_t{run.repeat} * run.lanes() + static_cast<unsigned>(at);
        });
        if (!any) return;
        run.state.max_min_cnt = at_of_all << 32;
        std::memcpy(&run.state.max_min_cnt, &best_of_all, sizeof(T));
    });
}

bool check_last(const IntrinsicCall& call, Problem& problem) {
    const bool is_sum = call.opcode == IntrinsicOpcode::kvcadd;
    if (call.arguments[kLast] <= (is_sum ? 1u : 3u)) return true;
    problem = {.code = "P01",
               .message = std::string(info(call.opcode).name) + " has no " +
                          (is_sum ? "mode " : "order ") + std::to_string(call.arguments[kLast]),
               .hint = is_sum ? "modes are 0 and 1" : "orders are 0 to 3",
               .operand = static_cast<int>(kLast)};
    return false;
}

constexpr IntrinsicForm kSumOfRepeat{"w0e" "r1l" "n--" "s0-" "b1-" "s1-" "i--", kMasked, kRepeats,
                                     &check_last};
constexpr IntrinsicForm kArgumentOfRepeat{"w0p" "r1l" "n--" "s0-" "b1-" "s1-" "i--", kMasked,
                                          kRepeats, &check_last};
constexpr IntrinsicForm kOfBlocks{"w0g" "r1l" "n--" "s0-" "b1-" "s1-"};
constexpr IntrinsicForm kOfPairs{"w0h" "r1l" "n--" "s0-" "b1-" "s1-"};

}  // namespace
}  // namespace ptosim::intrinsics

namespace ptosim::intrinsic_rows {
#include "isa/intrinsics/intrinsic_reduce.def"
}
