#include "traces/analyse/wait_groups.h"

#include <algorithm>
#include <map>
#include <string>
#include <tuple>

namespace ptosim {

std::vector<WaitGroup> wait_groups(const Accounting& accounting) {
    struct Counted : WaitGroup {
        const CoreAccount* last = nullptr;  // of the cores
    };
    std::map<std::tuple<CoreType, unsigned, std::string>, Counted> groups;
    for (const CoreAccount& core : accounting.cores)
        for (unsigned i = 0; i < kPipeCount; ++i)
            for (const WaitSite& site : core.pipes[i].sites) {
                if (site.cause.reason == BlockReason::kDrain) continue;
                WaitCause cause = site.cause;
                cause.released_core = kNoCore;  // whichever it was
                Counted& group = groups[{core.core.type, i, short_text(cause) + " " + site.waiter}];
                if (group.site == nullptr) group.site = &site;
                group.other_cores |= !(group.site->cause.released_core == site.cause.released_core);
                group.type = core.core.type;
                group.pipe = static_cast<Pipe>(i);
                group.cycles += site.cycles;
                group.times += site.count;
                group.open = group.open || site.open;
                if (group.last != &core) ++group.cores;  // several sites have one text
                group.last = &core;
            }
    std::vector<WaitGroup> result;
    for (auto& [key, group] : groups) result.push_back(group);
    std::stable_sort(result.begin(), result.end(),
                     [](const WaitGroup& a, const WaitGroup& b) { return a.cycles > b.cycles; });
    return result;
}

}  // namespace ptosim
