#include "traces/dependencies.h"

#include <algorithm>
#include <map>

#include "isa/numeric/wide.h"
#include "traces/core_index.h"

namespace ptosim {

namespace {
constexpr uint32_t kNone = UINT32_MAX;
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
    // Of a pipe, the last instruction before `sequence`.
    uint32_t before(uint16_t core, Pipe pipe, uint32_t sequence) const {
        const std::vector<uint32_t>& list = pipes[core][static_cast<size_t>(pipe)];
        const auto at = std::lower_bound(
            list.begin(), list.end(), sequence,
            [this](uint32_t i, uint32_t s) { return recording.instructions[i].sequence < s; });
        return at == list.begin() ? kNone : *std::prev(at);
    }
    // Of a pipe, the last instruction that has started by `time`.
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

Dependencies::Dependencies(const Recording& recording) : recording_{recording} {
    const size_t n = recording.instructions.size();
    runs_at_ = static_cast<Node>(2 + 4 * n);
    time_.resize(runs_at_ + 2 * recording.runs.size());
    time_[kBegin] = recording.begin;
    time_[kEnd] = recording.end;
    for (uint32_t i = 0; i < n; ++i) {
        const InstructionRecord& record = recording.instructions[i];
        time_[node(i, Event::kIssue)] = record.issued;
        time_[node(i, Event::kStart)] = record.started;
        time_[node(i, Event::kFree)] = record.pipe_free;
        time_[node(i, Event::kDone)] = record.completed;
    }
    for (uint32_t i = 0; i < recording.runs.size(); ++i) {
        time_[begin_of(i)] = recording.runs[i].begin;
        time_[end_of(i)] = recording.runs[i].end;
    }
    // About five edges between the events of an instruction, and one or two to others.
    pending_.reserve(8 * n);
    const Index index(recording);
    make_instruction_edges(index);
    make_wait_edges(index);
    make_flag_edges(index);
    make_run_edges(index);
    finish(scalar_waits(index));
    find_order();
}

// By instruction: how long the scalar unit waited before it issued it.
std::vector<Cycle> Dependencies::scalar_waits(const Index& index) const {
    std::vector<Cycle> waits(recording_.instructions.size());
    for (const WaitRecord& wait : recording_.waits) {
        if (wait.pipe != Pipe::kS) continue;
        const uint32_t waiter = index.find(wait.core, wait.sequence);
        if (waiter != kNone) waits[waiter] += wait.end - wait.begin;
    }
    return waits;
}

// Edges that the recorded times contradict are no edges.
void Dependencies::add(Node to, Node from, Spent spent, int32_t wait, bool queue_limit) {
    if (time_[from] > time_[to] || from == to) return;
    pending_.push_back({to, from, wait, spent, queue_limit});
}

void Dependencies::make_instruction_edges(const Index& index) {
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
                add(node(i, Event::kIssue), node(previous, own ? Event::kFree : Event::kIssue),
                    Spent::kScalar);
            } else if (run != kNone) {
                // Mostly what a core takes to start.
                add(node(i, Event::kIssue), begin_of(run), Spent::kBlock);
            }
            previous = i;
            previous_run = run;
            if (!record.has(InstructionRecord::kCompleted)) continue;
            add(node(i, Event::kStart), node(i, Event::kIssue), Spent::kQueue);
            add(node(i, Event::kFree), node(i, Event::kStart), Spent::kWork);
            // A set has no latency of its own: it is done when all before it are.
            add(node(i, Event::kDone), node(i, Event::kFree),
                record.has(InstructionRecord::kSync) ? Spent::kSignal : Spent::kLatency);
        }
        for (const std::vector<uint32_t>& list : index.pipes[core])
            for (size_t k = 1; k < list.size(); ++k) {
                add(node(list[k], Event::kStart), node(list[k - 1], Event::kFree), Spent::kQueue);
                // A set takes effect when all before it has completed.
                if (recording_.instructions[list[k]].has(InstructionRecord::kSync))
                    add(node(list[k], Event::kDone), node(index.latest[list[k - 1]], Event::kDone),
                        Spent::kSignal);
            }
    }
}

void Dependencies::make_wait_edges(const Index& index) {
    for (uint32_t w = 0; w < recording_.waits.size(); ++w) {
        const WaitRecord& wait = recording_.waits[w];
        const uint32_t waiter = index.find(wait.core, wait.sequence);
        if (wait.open || waiter == kNone || wait.end <= wait.begin) continue;
        // The first event of the waiter that came after the wait.
        Event event = Event::kStart;
        if (wait.pipe == Pipe::kS) {
            event = Event::kIssue;
            while (event != Event::kDone && time_[node(waiter, event)] < wait.end)
                event = static_cast<Event>(static_cast<unsigned>(event) + 1);
        }
        const Node to = node(waiter, event);
        const auto released = [&](uint32_t by, Event what, bool limit = false) {
            if (by != kNone && by != waiter && time_[node(by, what)] <= wait.end)
                add(to, node(by, what), Spent::kSignal, static_cast<int32_t>(w), limit);
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
                             Event::kStart, true);
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
                    released(*at, Event::kDone);
                break;
            }
            case BlockReason::kDrain:
                break;
        }
    }
}

void Dependencies::make_flag_edges(const Index& index) {
    for (const FlagRecord& flag : recording_.flags) {
        if (flag.consumed == kNever) continue;
        const uint32_t set = index.find(flag.from, flag.set_sequence);
        const uint32_t wait = index.find(flag.core, flag.wait_sequence);
        if (set != kNone && wait != kNone && set != wait)
            add(node(wait, Event::kStart), node(set, Event::kDone), Spent::kSignal);
    }
}

void Dependencies::make_run_edges(const Index& index) {
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
            add(end_of(i), node(index.latest[last], Event::kDone),
                run.open ? Spent::kNever : Spent::kScalar);
        }
        const auto& program = index.program[run.core];
        const auto after = std::upper_bound(
            program.begin(), program.end(), until,
            [this](Cycle t, uint32_t k) { return t <= recording_.instructions[k].issued; });
        if (after != program.begin())
            add(end_of(i), node(*std::prev(after), Event::kIssue),
                run.open ? Spent::kNever : Spent::kScalar);
        add(end_of(i), begin_of(i), run.open ? Spent::kNever : Spent::kScalar);
        add(begin_of(i), kBegin, Spent::kBlock);
        for (uint32_t other : in_cluster[cluster(run.core)])
            if (other != i && recording_.runs[other].end <= run.begin &&
                recording_.runs[other].begin < run.begin)
                add(begin_of(i), end_of(other), Spent::kBlock);
        add(kEnd, end_of(i), Spent::kBlock);
    }
    // A later launch waits for what was there before it.
    for (const LaunchRecord& launch : recording_.launches) {
        uint32_t last = kNone;
        for (uint32_t i = 0; i < recording_.runs.size(); ++i)
            if (recording_.runs[i].end <= launch.begin && recording_.runs[i].begin < launch.begin &&
                (last == kNone || recording_.runs[i].end > recording_.runs[last].end))
                last = i;
        if (last == kNone) continue;
        for (uint32_t i = 0; i < recording_.runs.size(); ++i)
            if (recording_.runs[i].begin >= launch.begin && recording_.runs[i].begin <= launch.end)
                add(begin_of(i), end_of(last), Spent::kBlock);
    }
    add(kEnd, kBegin, Spent::kBlock);
}

// Sorts the edges by their ends, finds the binding ones and gives them their lags.
void Dependencies::finish(const std::vector<Cycle>& scalar_waits) {
    first_.assign(time_.size() + 1, 0);
    for (const Pending& p : pending_) ++first_[p.to + 1];
    for (size_t n = 0; n < time_.size(); ++n) first_[n + 1] += first_[n];
    edges_.resize(pending_.size());
    std::vector<uint32_t> next(first_.begin(), first_.end() - 1);
    for (const Pending& p : pending_)
        edges_[next[p.to]++] = {0, p.from, p.wait, p.spent, p.queue_limit};
    pending_ = {};

    binding_.assign(time_.size(), kNone);
    for (Node n = 0; n < time_.size(); ++n) {
        const uint32_t end = first_[n + 1];
        uint32_t binding = kNone;
        Cycle latest = 0;
        for (uint32_t e = first_[n]; e < end; ++e) {
            Edge& edge = edges_[e];
            const Cycle from = time_[edge.from];
            if (binding == kNone || from > latest) {
                binding = e;
                latest = from;
            }
            if (edge.spent == Spent::kWork || edge.spent == Spent::kLatency) {
                edge.lag = time_[n] - from;
            } else if (edge.spent == Spent::kScalar) {
                // What the scalar unit does takes its time whether it was the last to be done or
                // not.
                const bool issue = n >= 2 && n < runs_at_ && (n - 2) % 4 == 0;
                if (!issue || edge.from < 2 || edge.from >= runs_at_) continue;
                const Cycle whole = time_[n] - from;
                edge.lag = whole - std::min(whole, scalar_waits[(n - 2) / 4]);
            }
        }
        binding_[n] = binding;
        if (binding != kNone) edges_[binding].lag = time_[n] - latest;
    }
}

std::vector<Dependencies::Step> Dependencies::critical_path() const {
    std::vector<Step> steps;
    Node at = kEnd;
    for (size_t guard = 0; at != kBegin && guard <= time_.size(); ++guard) {
        const uint32_t e = binding_[at];
        const Node from = e == kNone ? kBegin : edges_[e].from;
        if (time_[from] < time_[at]) {
            Step step;
            step.begin = time_[from];
            step.end = time_[at];
            step.spent = e == kNone ? Spent::kBlock : edges_[e].spent;
            step.wait = e == kNone ? -1 : edges_[e].wait;
            if (at >= 2 && at < runs_at_)
                step.instruction = (at - 2) / 4;
            else if (from >= 2 && from < runs_at_ && step.spent != Spent::kBlock)
                step.instruction = (from - 2) / 4;
            steps.push_back(step);
        }
        at = from;
    }
    // A cycle of events of one time cannot be left: what is before it is nobody's.
    if (at != kBegin && time_[at] > recording_.begin)
        steps.push_back({recording_.begin, time_[at], Spent::kBlock, -1, -1});
    std::reverse(steps.begin(), steps.end());
    return steps;
}

// Depth first from the end of the run. Of events of one time that go round, any may be first: the
// edge that closes the round is left out (its `from` has the higher rank).
void Dependencies::find_order() {
    rank_.assign(time_.size(), kNone);
    std::vector<uint8_t> entered(time_.size(), 0);
    struct Visit {
        Node node;
        uint32_t next;  // edge
    };
    std::vector<Visit> stack{{kEnd, first_[kEnd]}};
    entered[kEnd] = 1;
    while (!stack.empty()) {
        Visit& visit = stack.back();
        if (visit.next == first_[visit.node + 1]) {
            rank_[visit.node] = static_cast<uint32_t>(order_.size());
            order_.push_back(visit.node);
            stack.pop_back();
            continue;
        }
        const Node from = edges_[visit.next++].from;
        if (entered[from] != 0) continue;
        entered[from] = 1;
        stack.push_back({from, first_[from]});
    }
}

// Changes are replayed many at once, one beside the other. Times are from the begin of the run:
// none is later than the recorded one.
template <class Time>
struct Dependencies::Batch {
    static constexpr size_t kWidth = 32 / sizeof(Time);  // of a vector that most hosts have
    // Aligned as its elements are: memory for vectors that the compiler's default does not know is
    // not aligned for them.
    typedef Time Lanes __attribute__((vector_size(32), aligned(sizeof(Time))));
    static constexpr Time kAll = static_cast<Time>(~Time{0});
    struct Times {
        Lanes of;
    };

    Lanes keep_scalar{}, keep_block{}, keep_queue_limit{};  // kAll or zero
    Lanes bits{};                                           // of each change in `free`
    std::vector<uint8_t> free;                              // by instruction: bits of changes
    std::vector<Times> times;                               // by rank
};

template <class Time>
std::vector<Cycle> Dependencies::replay_in_batches(std::span<const Change> changes) const {
    Batch<Time> batch;
    batch.times.resize(order_.size());
    std::vector<Cycle> result;
    while (!changes.empty()) {
        const auto some = changes.first(std::min(changes.size(), Batch<Time>::kWidth));
        replay(batch, some);
        for (size_t k = 0; k < some.size(); ++k) result.push_back(batch.times[rank_[kEnd]].of[k]);
        changes = changes.subspan(some.size());
    }
    return result;
}

std::vector<Cycle> Dependencies::replay_all(std::span<const Change> changes) const {
    return recording_.end - recording_.begin < UINT32_MAX ? replay_in_batches<uint32_t>(changes)
                                                          : replay_in_batches<uint64_t>(changes);
}

template <class Time>
void Dependencies::replay(Batch<Time>& batch, std::span<const Change> changes) const {
    using Lanes = typename Batch<Time>::Lanes;
    static constexpr Time kAll = Batch<Time>::kAll;
    batch.free.assign(recording_.instructions.size(), 0);
    for (size_t k = 0; k < changes.size(); ++k) {
        const Change& change = changes[k];
        const uint8_t bit = static_cast<uint8_t>(1u << k);
        batch.keep_scalar[k] = change.no_scalar ? 0 : kAll;
        batch.keep_block[k] = change.no_block_gaps ? 0 : kAll;
        batch.keep_queue_limit[k] = change.no_queue_limit ? 0 : kAll;
        batch.bits[k] = bit;
        if (!change.without) continue;
        for (size_t i = 0; i < batch.free.size(); ++i)
            if (change.without(recording_.instructions[i]))
                batch.free[i] = static_cast<uint8_t>(batch.free[i] | bit);
    }
    widest([this, batch = &batch, times = batch.times.data(), count = order_.size()] {
        const Lanes none{};
        const Lanes all = none + kAll;
        for (uint32_t rank = 0; rank < count; ++rank) {
            const Node n = order_[rank];
            const bool instruction = n >= 2 && n < runs_at_;
            const Time free = instruction ? batch->free[(n - 2) / 4] : 0;
            // What stays of an instruction's work.
            const Lanes work =
                free == 0 ? all : reinterpret_cast<Lanes>((batch->bits & free) == none);
            Lanes latest = none;
            const Edge* const end = edges_.data() + first_[n + 1];
            for (const Edge* edge = edges_.data() + first_[n]; edge != end; ++edge) {
                const uint32_t before = rank_[edge->from];
                if (before >= rank) continue;
                Lanes lag = none + static_cast<Time>(edge->lag);
                const Spent spent = edge->spent;
                if (spent == Spent::kWork || spent == Spent::kLatency)
                    lag &= work;
                else if (spent == Spent::kScalar)
                    lag &= batch->keep_scalar;
                else if (spent == Spent::kBlock)
                    lag &= batch->keep_block;
                Lanes time = times[before].of + lag;
                if (edge->queue_limit) time &= batch->keep_queue_limit;
                const Lanes later = reinterpret_cast<Lanes>(time > latest);
                latest = (time & later) | (latest & ~later);
            }
            times[rank].of = latest;
        }
    });
}

}  // namespace ptosim
