#include "traces/analyse/dependencies.h"

#include <algorithm>
#include <map>

#include "traces/analyse/dependency_edges.h"
#include "traces/record/core_index.h"

namespace ptosim {

namespace {
constexpr size_t kInFlightWindow = 64;  // more instructions than any pipe follows at once
}  // namespace

std::string_view name(Spent spent) {
    switch (spent) {
        case Spent::kWork:
            return "work";
        case Spent::kLatency:
            return "latency";
        case Spent::kScalar:
            return "scalar";
        case Spent::kQueue:
            return "start";
        case Spent::kSignal:
            return "signal";
        case Spent::kBlock:
            return "block";
        case Spent::kNever:
            return "never released";
        case Spent::kCount:
            break;
    }
    return "?";
}

Dependencies::Dependencies(const Recording& recording, bool what_if)
    : recording_{recording},
      what_if_{what_if},
      index_{std::make_unique<Index>(recording)},
      runs_at_{static_cast<Node>(2 + 4 * recording.instructions.size())},
      links_(recording.instructions.size()) {
    link();
    Edges to_instructions(*this), to_others(*this);
    make_wait_edges(to_instructions);
    make_flag_edges(to_instructions);
    to_instructions_ = by_instruction(to_instructions);
    make_run_edges(to_others);
    to_others_ = grouped(to_others, 2 + 2 * recording.runs.size(),
                         [this](const EdgeTo& edge) { return other_index(edge.to); });
    find_scalar_waits();
}

Dependencies::~Dependencies() = default;

// By instruction: how long the scalar unit waited before it issued it.
void Dependencies::find_scalar_waits() {
    for (const WaitRecord& wait : recording_.waits) {
        if (wait.pipe != Pipe::kS) continue;
        const uint32_t waiter = index_->find(wait.core, wait.sequence);
        if (waiter == kNone) continue;
        scalar_waits_.resize(links_.size());
        uint32_t& sum = scalar_waits_[waiter];
        sum = static_cast<uint32_t>(
            std::min<Cycle>(UINT32_MAX, sum + std::min<Cycle>(UINT32_MAX, wait.end - wait.begin)));
    }
}

Dependencies::EdgesTo Dependencies::by_instruction(const Edges& edges) const {
    return grouped(edges, links_.size(),
                   [](const EdgeTo& edge) { return instruction_of(edge.to); });
}

// Grouped by index_of(edge), stable.
template <class IndexOf>
Dependencies::EdgesTo Dependencies::grouped(const Edges& edges, size_t ends, IndexOf&& index_of) {
    EdgesTo result;
    result.first.assign(ends + 1, 0);
    for (const EdgeTo& edge : edges.list()) ++result.first[index_of(edge) + 1];
    for (size_t i = 0; i < ends; ++i) result.first[i + 1] += result.first[i];
    result.edges.resize(edges.list().size());
    std::vector<uint32_t> next(result.first.begin(), result.first.end() - 1);
    for (const EdgeTo& edge : edges.list()) result.edges[next[index_of(edge)]++] = edge;
    return result;
}

void Dependencies::link() {
    const Index& index = *index_;
    for (size_t core = 0; core < index.program.size(); ++core) {
        uint32_t previous = kNone;
        uint32_t previous_run = kNone;
        for (uint32_t i : index.program[core]) {
            const InstructionRecord& record = recording_.instructions[i];
            const uint32_t run = index.run(static_cast<uint16_t>(core), record.issued);
            if (previous != kNone && run == previous_run) {
                // The scalar unit does its own instructions before it goes on.
                const InstructionRecord& p = recording_.instructions[previous];
                const bool own = p.pipe == Pipe::kS && p.has(InstructionRecord::kCompleted) &&
                                 p.pipe_free <= record.issued;
                links_[i].issue = node(previous, own ? Event::kFree : Event::kIssue);
            } else if (run != kNone) {
                links_[i].issue = begin_of(run);
            }
            previous = i;
            previous_run = run;
        }
        for (const std::vector<uint32_t>& list : index.pipes[core])
            for (size_t k = 1; k < list.size(); ++k) {
                links_[list[k]].start = node(list[k - 1], Event::kFree);
                // A set takes effect when all before it has completed.
                if (recording_.instructions[list[k]].has(InstructionRecord::kSync))
                    links_[list[k]].done = node(index.latest[list[k - 1]], Event::kDone);
            }
    }
}

void Dependencies::make_wait_edges(Edges& edges) const {
    const Index& index = *index_;
    for (uint32_t w = 0; w < recording_.waits.size(); ++w) {
        const WaitRecord& wait = recording_.waits[w];
        const uint32_t waiter = index.find(wait.core, wait.sequence);
        if (wait.open || waiter == kNone || wait.end <= wait.begin) continue;
        // The first event of the waiter that came after the wait.
        Event event = Event::kStart;
        if (wait.pipe == Pipe::kS) {
            event = Event::kIssue;
            while (event != Event::kDone && time(node(waiter, event)) < wait.end)
                event = static_cast<Event>(static_cast<unsigned>(event) + 1);
        }
        const Node to = node(waiter, event);
        const auto released = [&](uint32_t by, Event what, Holds holds = Holds::kUnlessUnordered) {
            if (by != kNone && by != waiter && time(node(by, what)) <= wait.end)
                edges.add(to, node(by, what), Spent::kSignal, static_cast<int32_t>(w), holds);
        };
        switch (wait.cause.reason) {
            case BlockReason::kFlag:
            case BlockReason::kData:
                released(index.find(wait.core, wait.released_by), Event::kDone);
                break;
            case BlockReason::kCrossCore: {
                const uint32_t from = index.find_core(wait.cause.released_core);
                if (from != kNone)
                    released(index.find(static_cast<uint16_t>(from), wait.released_by),
                             Event::kDone);
                break;
            }
            case BlockReason::kQueueFull:
                if (wait.cause.destination != Pipe::kAll)
                    released(index.started(wait.core, wait.cause.destination, wait.end),
                             Event::kStart, Holds::kUnlessNoQueueLimit);
                break;
            case BlockReason::kBarrier:
                for (unsigned pipe = 0; pipe < kPipeCount; ++pipe) {
                    if (wait.cause.destination != Pipe::kAll &&
                        static_cast<unsigned>(wait.cause.destination) != pipe)
                        continue;
                    const uint32_t last =
                        index.before(wait.core, static_cast<Pipe>(pipe), wait.sequence);
                    if (last != kNone) released(index.latest[last], Event::kDone);
                }
                break;
            case BlockReason::kInFlight: {
                const auto& list = index.pipes[wait.core][static_cast<size_t>(wait.pipe)];
                auto at = std::find_if(std::make_reverse_iterator(std::upper_bound(
                                           list.begin(), list.end(), wait.sequence,
                                           [this](uint32_t s, uint32_t i) {
                                               return s < recording_.instructions[i].sequence;
                                           })),
                                       list.rend(), [&](uint32_t i) { return i != waiter; });
                for (size_t n = 0; at != list.rend() && n < kInFlightWindow; ++at, ++n)
                    released(*at, Event::kDone, Holds::kAlways);
                break;
            }
            case BlockReason::kDrain:
                break;
        }
    }
}

void Dependencies::make_flag_edges(Edges& edges) const {
    const Index& index = *index_;
    for (const FlagRecord& flag : recording_.flags) {
        if (flag.consumed == kNever) continue;
        const uint32_t set = index.find(flag.from, flag.set_sequence);
        const uint32_t wait = index.find(flag.core, flag.wait_sequence);
        if (set != kNone && wait != kNone && set != wait)
            edges.add(node(wait, Event::kStart), node(set, Event::kDone), Spent::kSignal, -1,
                      Holds::kUnlessUnordered);
    }
}

void Dependencies::make_run_edges(Edges& edges) const {
    const Index& index = *index_;
    const auto cluster = [this](uint16_t core) {
        const CoreId id = recording_.cores[core];
        return id.type == CoreType::kAIC ? id.index : id.index / 2;
    };
    std::map<unsigned, std::vector<uint32_t>> in_cluster;
    for (uint32_t i = 0; i < recording_.runs.size(); ++i)
        in_cluster[cluster(recording_.runs[i].core)].push_back(i);
    // The latest end of any run before each launch.
    for (uint32_t i = 0; i < recording_.runs.size(); ++i) {
        const RunRecord& run = recording_.runs[i];
        const std::vector<uint32_t>& list = index.runs[run.core];
        const auto next = std::upper_bound(list.begin(), list.end(), i);
        const Cycle until = next == list.end() ? kNever : recording_.runs[*next].begin;
        for (unsigned pipe = 0; pipe < kPipeCount; ++pipe) {
            const uint32_t last = index.started(run.core, static_cast<Pipe>(pipe), run.end);
            if (last == kNone || recording_.instructions[last].started < run.begin) continue;
            edges.add(end_of(i), node(index.latest[last], Event::kDone),
                      run.open ? Spent::kNever : Spent::kScalar);
        }
        const auto& program = index.program[run.core];
        const auto after = std::upper_bound(
            program.begin(), program.end(), until,
            [this](Cycle t, uint32_t k) { return t <= recording_.instructions[k].issued; });
        if (after != program.begin())
            edges.add(end_of(i), node(*std::prev(after), Event::kIssue),
                      run.open ? Spent::kNever : Spent::kScalar);
        edges.add(end_of(i), begin_of(i), run.open ? Spent::kNever : Spent::kScalar);
        edges.add(begin_of(i), kBegin, Spent::kBlock);
        for (uint32_t other : in_cluster[cluster(run.core)])
            if (other != i && recording_.runs[other].end <= run.begin &&
                recording_.runs[other].begin < run.begin)
                edges.add(begin_of(i), end_of(other), Spent::kBlock);
        edges.add(kEnd, end_of(i), Spent::kBlock);
    }
    // A later launch waits for everything before it.
    for (const LaunchRecord& launch : recording_.launches) {
        uint32_t last = kNone;
        for (uint32_t i = 0; i < recording_.runs.size(); ++i)
            if (recording_.runs[i].end <= launch.begin && recording_.runs[i].begin < launch.begin &&
                (last == kNone || recording_.runs[i].end > recording_.runs[last].end))
                last = i;
        if (last == kNone) continue;
        for (uint32_t i = 0; i < recording_.runs.size(); ++i)
            if (recording_.runs[i].begin >= launch.begin && recording_.runs[i].begin <= launch.end)
                edges.add(begin_of(i), end_of(last), Spent::kBlock);
    }
    edges.add(kEnd, kBegin, Spent::kBlock);
}

bool Dependencies::find_binding(Node n, Edge& binding) const {
    bool found = false;
    Cycle latest = 0;
    const auto time_of = [this](Node k) { return time(k); };
    for_edges(n, time_of, [&](const Edge& edge, Cycle from) {
        if (!recorded(edge.holds) || (found && from <= latest)) return;
        found = true;
        latest = from;
        binding = edge;
    });
    return found;
}

Cycle Dependencies::walk_back(Node at, Cycle until, std::vector<Step>& steps) const {
    const size_t most = runs_at_ + 2 * recording_.runs.size();
    for (size_t guard = 0; at != kBegin && time(at) > until && guard <= most; ++guard) {
        Edge edge{kBegin, -1, Spent::kBlock};
        find_binding(at, edge);
        const Node from = edge.from;
        if (time(from) < time(at)) {
            Step step;
            step.begin = std::max(until, time(from));
            step.end = time(at);
            step.spent = edge.spent;
            step.wait = edge.wait;
            if (of_instruction(at))
                step.instruction = instruction_of(at);
            else if (of_instruction(from) && step.spent != Spent::kBlock)
                step.instruction = instruction_of(from);
            steps.push_back(step);
        }
        at = from;
    }
    return at == kBegin ? until : std::max(until, time(at));
}

std::vector<Dependencies::Step> Dependencies::path_through(
    std::span<const ProgramRecord::Task> tasks) const {
    // For each task, the instruction that completes last.
    std::vector<Node> last(tasks.size(), kNoNode);
    for (uint32_t i = 0; i < recording_.instructions.size(); ++i) {
        const InstructionRecord& record = recording_.instructions[i];
        if (!record.has(InstructionRecord::kCompleted)) continue;
        const auto task = std::upper_bound(
            tasks.begin(), tasks.end(), record.completed,
            [](Cycle cycle, const ProgramRecord::Task& one) { return cycle <= one.end; });
        if (task == tasks.end() || record.issued < task->begin ||
            !(recording_.cores[record.core] == task->core))
            continue;
        Node& node = last[static_cast<size_t>(task - tasks.begin())];
        if (node == kNoNode || time(node) < record.completed) node = this->node(i, Event::kDone);
    }
    std::vector<Step> steps;  // the last first
    Cycle to = recording_.end;
    const auto gap = [&](Cycle from, Spent spent) {
        if (from < to) steps.push_back({from, to, spent, -1, -1});
        to = std::min(to, from);
    };
    for (size_t i = tasks.size(); i-- > 0;) {
        gap(tasks[i].end, i + 1 == tasks.size() ? Spent::kBlock : Spent::kSignal);
        if (last[i] != kNoNode && time(last[i]) <= to) {
            gap(time(last[i]), Spent::kScalar);
            const size_t first = steps.size();
            to = walk_back(last[i], tasks[i].begin, steps);
            // Its first instruction follows the executor's call of the kernel.
            for (size_t step = first; step < steps.size(); ++step)
                if (steps[step].spent == Spent::kBlock) steps[step].spent = Spent::kScalar;
        }
        gap(tasks[i].begin, Spent::kScalar);
    }
    gap(recording_.begin, Spent::kBlock);
    std::reverse(steps.begin(), steps.end());
    return steps;
}

std::vector<Dependencies::Step> Dependencies::critical_path() const {
    if (recording_.program && !recording_.program->path.empty())
        return path_through(recording_.program->path);
    std::vector<Step> steps;
    const Cycle from = walk_back(kEnd, recording_.begin, steps);
    // The walk back stops at a cycle of events of one time: the time before it has no cause.
    if (from > recording_.begin) steps.push_back({recording_.begin, from, Spent::kBlock, -1, -1});
    std::reverse(steps.begin(), steps.end());
    return steps;
}

}  // namespace ptosim
