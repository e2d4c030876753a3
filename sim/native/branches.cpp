#include "sim/native/branches.h"

#include <csignal>

#include "ptosim/kernel_abi.h"

namespace ptosim {
namespace {

constexpr size_t kMostPairs = 6;  // of a comparison

BranchTrace* traced = nullptr;

std::vector<const char*>& followed_branches() {
    static std::vector<const char*> names;
    return names;
}
struct FollowedBranch {
    explicit FollowedBranch(const char* name) { followed_branches().push_back(name); }
};

void enter_block(const void* code) {
    if (traced == nullptr) return;
    if (++traced->blocks > traced->most_blocks) raise(SIGILL);
    const auto block = reinterpret_cast<uint64_t>(code);
    ++traced->of_core[traced->last * 31 + block];
    traced->blocks_of_core.insert(block);
    traced->last = block;
}

template <class T>
void compare(const void* code, T a, T b) {
    if (traced == nullptr) return;
    const auto site = reinterpret_cast<uint64_t>(code);
    traced->outcomes.emplace(site, a < b ? -1 : a > b ? 1 : 0);
    auto& pairs = traced->compared[site];
    if (pairs.size() < kMostPairs)
        pairs.emplace(static_cast<int64_t>(a), static_cast<int64_t>(b));
}

// `cases`: number of cases, their width in bits, and their values.
void choose_case(const void* code, uint64_t value, const uint64_t* cases) {
    if (traced == nullptr) return;
    auto& pairs = traced->compared[reinterpret_cast<uint64_t>(code)];
    for (uint64_t i = 0; i < cases[0]; ++i)
        pairs.emplace(static_cast<int64_t>(value), static_cast<int64_t>(cases[2 + i]));
}

}  // namespace

std::vector<std::string> branch_flags(bool gnu) {
    if (gnu) return {"-fsanitize-coverage=trace-pc,trace-cmp"};
    return {"-fsanitize-coverage=edge,no-prune,trace-pc,trace-cmp"};
}

std::vector<std::string> branch_link_flags() {
    std::vector<std::string> flags;
    for (const char* const name : followed_branches())
        flags.push_back("-Wl,--wrap=" + std::string(name));
    return flags;
}

void BranchTrace::end_core(CoreType core) {
    for (const auto& [way, count] : of_core) ways.insert(2 * way + (count > 1 ? 1 : 0));
    const auto [entry, is_first] = always.try_emplace(core, blocks_of_core);
    if (!is_first)
        std::erase_if(entry->second,
                      [this](uint64_t block) { return !blocks_of_core.contains(block); });
    of_core.clear();
    blocks_of_core.clear();
    last = 0;
}

void trace_branches(BranchTrace* trace) { traced = trace; }

}  // namespace ptosim

// ---- the calls of instrumented code -----------------------------------------------------------

#define PTOSIM_BRANCH_CALL(NAME, ...)                                 \
    static const ptosim::FollowedBranch followed_branch_##NAME(#NAME); \
    PTOSIM_ABI void __wrap_##NAME(__VA_ARGS__);                        \
    void __wrap_##NAME(__VA_ARGS__)
#define PTOSIM_COMPARISON(NAME, TYPE)                                              \
    PTOSIM_BRANCH_CALL(__sanitizer_cov_trace_##NAME, TYPE a, TYPE b) {             \
        ptosim::compare(__builtin_return_address(0), a, b);                        \
    }

PTOSIM_BRANCH_CALL(__sanitizer_cov_trace_pc) {
    ptosim::enter_block(__builtin_return_address(0));
}
PTOSIM_COMPARISON(cmp1, int8_t)
PTOSIM_COMPARISON(cmp2, int16_t)
PTOSIM_COMPARISON(cmp4, int32_t)
PTOSIM_COMPARISON(cmp8, int64_t)
PTOSIM_COMPARISON(const_cmp1, int8_t)
PTOSIM_COMPARISON(const_cmp2, int16_t)
PTOSIM_COMPARISON(const_cmp4, int32_t)
PTOSIM_COMPARISON(const_cmp8, int64_t)
PTOSIM_BRANCH_CALL(__sanitizer_cov_trace_cmpf, float, float) {}
PTOSIM_BRANCH_CALL(__sanitizer_cov_trace_cmpd, double, double) {}
PTOSIM_BRANCH_CALL(__sanitizer_cov_trace_switch, uint64_t value, uint64_t* cases) {
    ptosim::choose_case(__builtin_return_address(0), value, cases);
}
