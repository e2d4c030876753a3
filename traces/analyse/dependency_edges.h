// The edges of Dependencies, for the files that implement it.
#pragma once

#include "traces/analyse/dependencies.h"

namespace ptosim {

inline Cycle Dependencies::time(Node n) const {
    if (of_instruction(n)) {
        const InstructionRecord& record = recording_.instructions[instruction_of(n)];
        switch (event_of(n)) {
            case Event::kIssue:
                return record.issued;
            case Event::kStart:
                return record.started;
            case Event::kFree:
                return record.pipe_free;
            case Event::kDone:
                return record.completed;
        }
    }
    if (n < 2) return n == kBegin ? recording_.begin : recording_.end;
    const RunRecord& run = recording_.runs[(n - runs_at_) / 2];
    return (n - runs_at_) % 2 == 0 ? run.begin : run.end;
}

template <class F>
void Dependencies::for_edges(Node n, F&& f) const {
    const auto given = [&](const EdgesTo& to, size_t end) {
        for (uint32_t e = to.first[end]; e < to.first[end + 1]; ++e)
            if (to.edges[e].to == n) f(to.edges[e].edge, time(to.edges[e].edge.from));
    };
    if (!of_instruction(n)) return given(to_others_, other_index(n));
    const uint32_t i = instruction_of(n);
    const InstructionRecord& record = recording_.instructions[i];
    const Links& links = links_[i];
    // As add(): edges that the recorded times contradict are no edges.
    const auto own = [&](Event event, Cycle from, Cycle to, Spent spent) {
        if (from <= to && record.has(InstructionRecord::kCompleted))
            f(Edge{node(i, event), -1, spent, false}, from);
    };
    const auto linked = [&](Node from, Cycle to, Spent spent) {
        if (from == kNoNode) return;
        const Cycle when = time(from);
        if (when <= to) f(Edge{from, -1, spent, false}, when);
    };
    switch (event_of(n)) {
        case Event::kIssue:
            // A block's begin: mostly what a core takes to start.
            linked(links.issue, record.issued,
                   links.issue < runs_at_ ? Spent::kScalar : Spent::kBlock);
            break;
        case Event::kStart:
            own(Event::kIssue, record.issued, record.started, Spent::kQueue);
            linked(links.start, record.started, Spent::kQueue);
            break;
        case Event::kFree:
            own(Event::kStart, record.started, record.pipe_free, Spent::kWork);
            break;
        case Event::kDone:
            // A set has no latency of its own: it is done when all before it are.
            own(Event::kFree, record.pipe_free, record.completed,
                record.has(InstructionRecord::kSync) ? Spent::kSignal : Spent::kLatency);
            linked(links.done, record.completed, Spent::kSignal);
            break;
    }
    given(to_instructions_, i);
}

}  // namespace ptosim
