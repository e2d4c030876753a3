#include "sim/machine/timing/thread_tally.h"

namespace ptosim {

void ThreadTally::note(Sites& sites, const void* code, unsigned lost, int64_t stride) {
    ThreadSite& site = sites[code];
    site.code = code;
    site.lost += lost;
    ++site.times;
    if (site.times == 1 || lost != 0) site.stride = stride;
}

void ThreadTally::access_global(const void* code, unsigned took, unsigned least, int64_t stride) {
    ++counts_.global;
    counts_.lines += took;
    counts_.least_lines += least;
    note(global_, code, took - least, stride);
}

void ThreadTally::access_local(const void* code, unsigned took, int64_t stride) {
    ++counts_.local;
    counts_.passes += took;
    note(local_, code, took - 1, stride);
}

// The site that loses most; of equal ones the first in the code.
ThreadSite ThreadTally::worst(const Sites& sites) {
    ThreadSite found;
    for (const auto& [code, site] : sites)
        if (site.lost > found.lost ||
            (site.lost == found.lost && site.lost != 0 && code < found.code))
            found = site;
    return found;
}

ThreadReport ThreadTally::report() const {
    ThreadReport report = counts_;
    for (unsigned i = 0; i < kThreadStates; ++i) report.states[i] = states_[i] / 1000;
    report.uncoalesced = worst(global_);
    report.conflicting = worst(local_);
    return report;
}

}  // namespace ptosim
