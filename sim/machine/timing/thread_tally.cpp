#include "sim/machine/timing/thread_tally.h"

namespace ptosim {

void ThreadTally::add(unsigned warp, ThreadState state, Milli from, Milli to) {
    constexpr size_t kMost = 256;  // of a warp
    if (from >= to) return;
    states_[static_cast<size_t>(state)] += to - from;
    std::vector<Span>& spans = spans_[warp];
    if (!spans.empty() && spans.back().state == state && spans.back().end == from) {
        spans.back().end = to;
        return;
    }
    if (spans.size() == kMost) halve(spans);
    spans.push_back({state, from, to});
}

// Pairs become one in the state of the longer.
void ThreadTally::halve(std::vector<Span>& spans) {
    for (size_t i = 0; i < spans.size() / 2; ++i) {
        const Span a = spans[2 * i], b = spans[2 * i + 1];
        spans[i] = {a.end - a.begin < b.end - b.begin ? b.state : a.state, a.begin, b.end};
    }
    spans.resize(spans.size() / 2);
}

std::vector<WarpSpan> ThreadTally::spans() const {
    std::vector<WarpSpan> all;
    for (size_t warp = 0; warp < spans_.size(); ++warp)
        for (const Span& span : spans_[warp])
            if (span.begin / 1000 < span.end / 1000)
                all.push_back({static_cast<uint16_t>(warp), span.state, begin_ + span.begin / 1000,
                               begin_ + span.end / 1000});
    return all;
}

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
