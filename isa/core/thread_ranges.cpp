#include "isa/core/thread_ranges.h"

#include <deque>
#include <mutex>

namespace ptosim {
namespace {

// The first is empty: most blocks are not checked.
struct Kept {
    std::mutex mutex{};
    std::deque<std::vector<ThreadRange>> list{{}};
};

Kept& kept() {
    static auto& all = *new Kept;
    return all;
}

}  // namespace

uint64_t keep_thread_ranges(std::vector<ThreadRange> ranges) {
    if (ranges.empty()) return 0;
    Kept& all = kept();
    const std::lock_guard lock(all.mutex);
    all.list.push_back(std::move(ranges));
    return all.list.size() - 1;
}

const std::vector<ThreadRange>& thread_ranges(const Instruction& instruction) {
    Kept& all = kept();
    const std::lock_guard lock(all.mutex);
    return all.list.at(instruction.operands[4].scalar.bits);
}

}  // namespace ptosim
