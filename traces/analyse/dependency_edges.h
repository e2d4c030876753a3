// The edges of Dependencies, for the files that implement it.
#pragma once

#include <algorithm>
#include <array>
#include <vector>

#include "traces/analyse/dependencies.h"

namespace ptosim {

inline constexpr uint32_t kNone = UINT32_MAX;

// Instructions by core in program order, and by pipe; runs by core.
struct Dependencies::Index {
    explicit Index(const Recording& r) : recording{r} {
        program.resize(r.cores.size());
        pipes.resize(r.cores.size());
        runs.resize(r.cores.size());
        latest.assign(r.instructions.size(), kNone);
        for (uint32_t i = 0; i < r.instructions.size(); ++i)
            program[r.instructions[i].core].push_back(i);
        const auto earlier = [&r](uint32_t a, uint32_t b) {
            return r.instructions[a].sequence < r.instructions[b].sequence;
        };
        for (std::vector<uint32_t>& list : program)
            if (!std::is_sorted(list.begin(), list.end(), earlier))
                std::sort(list.begin(), list.end(), earlier);
        for (size_t core = 0; core < program.size(); ++core)
            for (uint32_t i : program[core]) {
                const InstructionRecord& record = r.instructions[i];
                if (!record.has(InstructionRecord::kCompleted)) continue;
                std::vector<uint32_t>& list = pipes[core][static_cast<size_t>(record.pipe)];
                latest[i] = i;
                if (!list.empty()) {
                    const uint32_t before = latest[list.back()];
                    if (r.instructions[before].completed > record.completed) latest[i] = before;
                }
                list.push_back(i);
            }
        for (uint32_t i = 0; i < r.runs.size(); ++i) runs[r.runs[i].core].push_back(i);
    }
    uint32_t find(uint16_t core, uint32_t sequence) const {
        const std::vector<uint32_t>& list = program[core];
        // Mostly none is missing.
        if (!list.empty()) {
            const uint32_t first = recording.instructions[list.front()].sequence;
            const size_t guess = sequence - first;
            if (guess < list.size() && recording.instructions[list[guess]].sequence == sequence)
                return list[guess];
        }
        const auto at = std::lower_bound(
            list.begin(), list.end(), sequence,
            [this](uint32_t i, uint32_t s) { return recording.instructions[i].sequence < s; });
        return at == list.end() || recording.instructions[*at].sequence != sequence ? kNone : *at;
    }
    uint32_t find_core(CoreId id) const {
        const auto at = std::find(recording.cores.begin(), recording.cores.end(), id);
        return at == recording.cores.end() ? kNone
                                           : static_cast<uint32_t>(at - recording.cores.begin());
    }
    // Last instruction of a pipe before `sequence`.
    uint32_t before(uint16_t core, Pipe pipe, uint32_t sequence) const {
        const std::vector<uint32_t>& list = pipes[core][static_cast<size_t>(pipe)];
        const auto at = std::lower_bound(
            list.begin(), list.end(), sequence,
            [this](uint32_t i, uint32_t s) { return recording.instructions[i].sequence < s; });
        return at == list.begin() ? kNone : *std::prev(at);
    }
    // Last instruction of a pipe that has started by `time`.
    uint32_t started(uint16_t core, Pipe pipe, Cycle time) const {
        const std::vector<uint32_t>& list = pipes[core][static_cast<size_t>(pipe)];
        const auto at = std::upper_bound(
            list.begin(), list.end(), time,
            [this](Cycle t, uint32_t i) { return t < recording.instructions[i].started; });
        return at == list.begin() ? kNone : *std::prev(at);
    }
    // The last run that has begun by `time`.
    uint32_t run(uint16_t core, Cycle time) const {
        const std::vector<uint32_t>& list = runs[core];
        const auto at =
            std::upper_bound(list.begin(), list.end(), time,
                             [this](Cycle t, uint32_t i) { return t < recording.runs[i].begin; });
        return at == list.begin() ? kNone : *std::prev(at);
    }

    const Recording& recording;
    std::vector<std::vector<uint32_t>> program;
    std::vector<std::array<std::vector<uint32_t>, kPipeCount>> pipes;  // completed ones
    std::vector<std::vector<uint32_t>> runs;
    // By instruction: the one of its pipe, up to it, that completed last.
    std::vector<uint32_t> latest;
};

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

// Leaves out edges that the recorded times contradict.
class Dependencies::Edges {
 public:
    explicit Edges(const Dependencies& of) : of_{of} {}
    void add(Node to, Node from, Spent spent, int32_t wait = -1, Holds holds = Holds::kAlways) {
        if (of_.time(from) <= of_.time(to) && from != to)
            list_.push_back({to, {from, wait, spent, holds}});
    }
    const std::vector<EdgeTo>& list() const { return list_; }

 private:
    const Dependencies& of_;
    std::vector<EdgeTo> list_;
};

template <class TimeOf, class F>
void Dependencies::for_edges(Node n, TimeOf&& time_of, F&& f) const {
    const auto given = [&](const EdgesTo& to, size_t end) {
        for (uint32_t e = to.first[end]; e < to.first[end + 1]; ++e)
            if (to.edges[e].to == n) f(to.edges[e].edge, time_of(to.edges[e].edge.from));
    };
    if (!of_instruction(n)) return given(to_others_, other_index(n));
    const uint32_t i = instruction_of(n);
    const InstructionRecord& record = recording_.instructions[i];
    const Links& links = links_[i];
    const auto to = time_of(n);
    // As Edges::add().
    const auto linked = [&](Node from, Spent spent) {
        if (from == kNoNode) return;
        const auto when = time_of(from);
        if (when <= to) f(Edge{from, -1, spent}, when);
    };
    const auto own = [&](Event event, Spent spent) {
        if (record.has(InstructionRecord::kCompleted)) linked(node(i, event), spent);
    };
    switch (event_of(n)) {
        case Event::kIssue:
            // A block's begin: mostly the start-up time of the core.
            linked(links.issue, links.issue < runs_at_ ? Spent::kScalar : Spent::kBlock);
            break;
        case Event::kStart:
            own(Event::kIssue, Spent::kQueue);
            linked(links.start, Spent::kQueue);
            break;
        case Event::kFree:
            own(Event::kStart, Spent::kWork);
            break;
        case Event::kDone:
            // A set has no separate latency: it is done when all before it are.
            own(Event::kFree,
                record.has(InstructionRecord::kSync) ? Spent::kSignal : Spent::kLatency);
            linked(links.done, Spent::kSignal);
            break;
    }
    given(to_instructions_, i);
}

}  // namespace ptosim
