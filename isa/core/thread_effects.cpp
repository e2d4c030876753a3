#include "isa/core/thread_effects.h"

#include <deque>
#include <mutex>
#include <utility>

#include "isa/core/thread_work.h"

namespace ptosim {
namespace {

constexpr size_t kMostSpans = 1 << 20;  // 24 MiB

// The first is empty: most blocks are not observed.
struct Kept {
    std::mutex mutex{};
    std::deque<ThreadEffects> list{{}};
    size_t spans = 0;
};

Kept& kept() {
    static auto& all = *new Kept;
    return all;
}

}  // namespace

uint64_t keep_thread_effects(ThreadEffects effects) {
    if (effects.ranges.empty() && !effects.report) return 0;
    Kept& all = kept();
    const std::lock_guard lock(all.mutex);
    if (all.spans + effects.spans.size() > kMostSpans) effects.spans = {};
    all.spans += effects.spans.size();
    all.list.push_back(std::move(effects));
    return all.list.size() - 1;
}

const ThreadEffects& thread_effects(const Instruction& instruction) {
    Kept& all = kept();
    const std::lock_guard lock(all.mutex);
    return all.list.at(thread_work(instruction).effects);
}

}  // namespace ptosim
