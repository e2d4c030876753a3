#include "sim/native/argument_search.h"

#include <algorithm>

#include "isa/core/diagnostic.h"
#include "sim/native/branches.h"

namespace ptosim {
namespace {

constexpr unsigned kMostRuns = 2000;  // of the control flow
constexpr uint64_t kMostBlocks = 200'000;  // of code, of one of them
constexpr uint64_t kMostBlocksOfAll = 1'500'000;
// Limits of arguments: kLargest, or kTimesMore times the given one.
constexpr int64_t kLargest = int64_t{1} << 16;
constexpr int64_t kTimesMore = 4;
constexpr uint64_t kFewBlocks = 1000;  // limit of a run, even if the given arguments execute less

// Values of an argument of `width` bits.
class Suggestions {
 public:
    Suggestions(uint64_t given, unsigned width)
        : given_{width >= 64 ? static_cast<int64_t>(given)
                             : static_cast<int64_t>(given << (64 - width)) >> (64 - width)},
          largest_{std::max(kLargest, kTimesMore * std::abs(given_))} {}

    void add_plain() {
        add(0);
        for (int64_t half = given_ / 2; half > 0; half /= 2) add(half);
        add(2 * given_);
        for (int64_t small = 1; small <= 4; ++small) add(small);
    }
    // Values that make two compared numbers equal, or one of them greater, if the argument is one of them, or differs
    // from it by a constant or a factor.
    void add_compared(const BranchTrace& trace) {
        for (const auto& [site, pairs] : trace.compared)
            for (const auto& [a, b] : pairs) {
                if (std::abs(a) > largest_ || std::abs(b) > largest_) continue;
                lead_to(a, b);
                lead_to(b, a);
            }
    }
    // Negative ones come last.
    std::vector<int64_t> take() {
        std::stable_partition(values_.begin(), values_.end(), [](int64_t v) { return v >= 0; });
        return std::move(values_);
    }

 private:
    void add(int64_t value) {
        if (std::abs(value) <= largest_ &&
            std::find(values_.begin(), values_.end(), value) == values_.end())
            values_.push_back(value);
    }
    void lead_to(int64_t has, int64_t wants) {
        for (const int64_t step : {0, 1, -1}) {
            add(given_ + wants - has + step);
            if (has != 0 && given_ % has == 0) add(given_ / has * (wants + step));
            if (given_ != 0 && has % given_ == 0 && has != 0)
                add((wants + step) / (has / given_));
        }
    }

    const int64_t given_, largest_;
    std::vector<int64_t> values_;
};

class ArgumentSearch {
 public:
    ArgumentSearch(const Kernel& kernel, const DryLaunch& launch, size_t most)
        : kernel_{kernel}, launch_{launch}, most_{most} {}

    std::vector<std::vector<uint64_t>> search(const std::vector<uint64_t>& given) {
        BranchTrace trace;
        if (!run(given, trace) || trace.ways.empty()) return {};
        most_blocks_ = std::min(
            kMostBlocks, static_cast<uint64_t>(kTimesMore) * trace.blocks + kFewBlocks);
        ways_ = trace.ways;
        always_ = trace.always;
        outcomes_ = trace.outcomes;
        starts_.emplace_back(given, std::move(trace));
        // Arguments that have led to something new are varied in turn.
        for (size_t i = 0; i < starts_.size() && !used_up(); ++i) {
            const auto [start, from] = starts_[i];
            vary(start, from);
        }
        return found_;
    }

 private:
    // Returns false if the kernel fails.
    bool run(const std::vector<uint64_t>& arguments, BranchTrace& trace) {
        ++runs_;
        bool good = true;
        trace.most_blocks = most_blocks_;
        for (const BlockIdentity& identity : dry_cores(kernel_, launch_.blocks)) {
            DryPort port(launch_, identity);
            trace_branches(&trace);
            try {
                kernel_.run(port, arguments);
            } catch (const DryPort::TooMuch&) {
            } catch (const DiagnosticError&) {
                good = false;
            }
            trace_branches(nullptr);
            trace.end_core(identity.core);
        }
        blocks_ += trace.blocks;
        return good;
    }

    bool used_up() const {
        return found_.size() >= most_ || runs_ >= kMostRuns || blocks_ >= kMostBlocksOfAll;
    }

    // First tries plain values of all arguments, then those suggested by numbers of the trace.
    void vary(const std::vector<uint64_t>& from, const BranchTrace& trace) {
        for (const bool plain : {true, false})
            for (size_t i = 0; i < from.size() && i < kernel_.parameters().size(); ++i) {
                const Parameter& parameter = kernel_.parameters()[i];
                if (parameter.kind != Parameter::Kind::kScalar || !is_integer(parameter.dtype))
                    continue;
                const unsigned width = bits(parameter.dtype);
                Suggestions suggestions(from[i], width);
                plain ? suggestions.add_plain() : suggestions.add_compared(trace);
                for (const int64_t value : suggestions.take()) {
                    if (used_up()) return;
                    std::vector<uint64_t> arguments = from;
                    arguments[i] = static_cast<uint64_t>(value) &
                                   (width >= 64 ? UINT64_MAX : (uint64_t{1} << width) - 1);
                    if (arguments[i] != from[i] && tried_.insert(arguments).second)
                        attempt(arguments);
                }
            }
    }

    void attempt(const std::vector<uint64_t>& arguments) {
        BranchTrace trace;
        if (!run(arguments, trace)) return;
        // Another outcome of a comparison may be only half of a condition, so it is just a new start.
        const bool takes_more = adds(trace.ways, ways_), is_new = lacks(trace) || takes_more;
        if (is_new) found_.push_back(arguments);
        if (adds(trace.outcomes, outcomes_) || is_new)
            starts_.emplace_back(arguments, std::move(trace));
    }

    template <class Set>
    static bool adds(const Set& more, Set& all) {
        const size_t before = all.size();
        all.insert(more.begin(), more.end());
        return all.size() != before;
    }

    // True if a core skips a block that all cores have executed so far.
    bool lacks(const BranchTrace& trace) {
        size_t missing = 0;
        for (auto& [core, blocks] : always_) {
            const auto found = trace.always.find(core);
            missing += std::erase_if(blocks, [&](uint64_t block) {
                return found == trace.always.end() || !found->second.contains(block);
            });
        }
        return missing > 0;
    }

    const Kernel& kernel_;
    const DryLaunch& launch_;
    const size_t most_;
    // Results of all runs so far (BranchTrace).
    std::set<uint64_t> ways_;
    std::map<CoreType, std::set<uint64_t>> always_;
    std::set<std::pair<uint64_t, int>> outcomes_;
    std::set<std::vector<uint64_t>> tried_;
    std::vector<std::pair<std::vector<uint64_t>, BranchTrace>> starts_;
    std::vector<std::vector<uint64_t>> found_;
    unsigned runs_ = 0;
    uint64_t blocks_ = 0;
    uint64_t most_blocks_ = kMostBlocks;  // of a run
};

}  // namespace

std::vector<std::vector<uint64_t>> search_arguments(const Kernel& kernel,
                                                    const std::vector<uint64_t>& given,
                                                    const DryLaunch& launch, size_t most) {
    return ArgumentSearch(kernel, launch, most).search(given);
}

}  // namespace ptosim
