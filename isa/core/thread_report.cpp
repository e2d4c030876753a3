#include "isa/core/thread_report.h"

namespace ptosim {

std::string_view name(ThreadState state) {
    constexpr std::array<std::string_view, kThreadStates> kNames{
        "issues",           "wait",     "not selected", "long scoreboard",
        "short scoreboard", "throttle", "atomic",       "barrier"};
    return kNames[static_cast<size_t>(state)];
}

void ThreadReport::add(const ThreadReport& other) {
    blocks += other.blocks;
    warps += other.warps;
    cycles += other.cycles;
    for (unsigned i = 0; i < kThreadStates; ++i) states[i] += other.states[i];
    global += other.global;
    lines += other.lines;
    least_lines += other.least_lines;
    missed += other.missed;
    local += other.local;
    passes += other.passes;
    coalesced += other.coalesced;
    without_conflicts += other.without_conflicts;
    hidden += other.hidden;
    const auto add_site = [](ThreadSite& to, const ThreadSite& from) {
        if (to.at == from.at) {
            to.lost += from.lost;
            to.times += from.times;
        } else if (from.lost > to.lost) {
            to = from;
        }
    };
    add_site(uncoalesced, other.uncoalesced);
    add_site(conflicting, other.conflicting);
}

}  // namespace ptosim
