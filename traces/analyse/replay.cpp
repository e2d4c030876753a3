// How long a run would have taken on a changed machine: its events once more, with less time
// between them.
#include <algorithm>
#include <unordered_map>

#include "isa/numeric/wide.h"
#include "traces/analyse/dependency_edges.h"

namespace ptosim {

// The events that the end of the run depends on, each after those before it, and what each waits
// for. Changes are replayed many at once, one beside the other. Times are from the begin of the
// run: none is later than the recorded one.
//
// The time at which a pipe is free again, and at which a result is there,
// follows in most cases from the start alone: these events are skipped,
// and what waits for them waits for the start and adds their duration.
template <class Time>
class Dependencies::Program {
 public:
    explicit Program(const Dependencies& d) : d_{d} {
        find_shapes();
        find_order();
        find_groups();
    }
    static constexpr size_t kWidth = 32 / sizeof(Time);  // of a vector that most hosts have
    // The end of the run under each of at most kWidth changes.
    void replay(std::span<const Change> changes, std::vector<Cycle>& result);

 private:
    // Aligned as its elements are: memory for vectors that the compiler's default does not know is
    // not aligned for them.
    typedef Time Lanes __attribute__((vector_size(32), aligned(sizeof(Time))));
    static constexpr Time kAll = static_cast<Time>(~Time{0});
    struct Times {
        Lanes of;
    };
    // An edge: the lag passes if its kind is kept, the work if that of the instruction is.
    struct Feed {
        uint32_t before;  // node, until all have their ranks; then rank
        uint16_t holds;   // index into Kept::holds
        uint8_t kept;     // index into Kept::lags
        Time lag, work;
    };
    enum : uint8_t { kAlways, kScalars, kBlocks, kOfWork, kKinds };
    struct Kept {
        Lanes lags[kKinds];         // kAll or zero
        std::vector<Times> holds;   // kAll or zero, by Feed::holds
        std::vector<Times> shares;  // 256ths of its work that pass, by group
        Lanes half;                 // of lags of the scalar unit: kAll or zero
    };
    // A condition of an edge, and the instruction that it is evaluated for, one of many like it.
    struct Condition {
        Holds holds;
        uint32_t instruction;
    };
    static constexpr uint32_t kUnknown = UINT32_MAX, kEntered = UINT32_MAX - 1;
    static constexpr uint16_t kTooMany = UINT16_MAX;  // conditions

    void find_shapes() {
        const Recording& r = d_.recording_;
        plain_.resize(r.instructions.size());
        for (size_t i = 0; i < plain_.size(); ++i)
            plain_[i] = r.instructions[i].has(InstructionRecord::kCompleted);
        for (const EdgeTo& edge : d_.to_instructions_.edges)
            if (event_of(edge.to) >= Event::kFree) plain_[instruction_of(edge.to)] = false;
    }
    // The event to wait for in place of n, and the work after it.
    Node stands_for(Node n, Cycle& work) const {
        work = 0;
        if (!d_.of_instruction(n) || event_of(n) < Event::kFree) return n;
        const uint32_t i = instruction_of(n);
        const InstructionRecord& record = d_.recording_.instructions[i];
        const bool done = event_of(n) == Event::kDone;
        if (!plain_[i] || (done && record.has(InstructionRecord::kSync))) return n;
        work = (done ? record.completed : record.pipe_free) - record.started;
        return d_.node(i, Event::kStart);
    }

    // Depth first from the end of the run. Of events of one time that go round, any may be first:
    // the edge that closes the round is left out.
    void find_order() {
        rank_.assign(d_.runs_at_ + 2 * d_.recording_.runs.size(), kUnknown);
        // Mostly enough; what is not used takes no memory.
        feeds_.reserve(6 * d_.links_.size());
        order_.reserve(3 * d_.links_.size());
        struct Visit {
            Node node;
            uint32_t feeds = kUnknown;  // where its own begin; kUnknown: not entered yet
            uint32_t end = 0;           // of them
        };
        std::vector<Visit> stack{{kEnd}};
        while (!stack.empty()) {
            Visit& visit = stack.back();
            if (visit.feeds == kUnknown && rank_[visit.node] == kUnknown) {
                rank_[visit.node] = kEntered;
                visit.feeds = static_cast<uint32_t>(feeds_.size());
                feed(visit.node);
                visit.end = static_cast<uint32_t>(feeds_.size());
                for (size_t i = visit.feeds, end = visit.end; i < end; ++i)
                    if (rank_[feeds_[i].before] == kUnknown) stack.push_back({feeds_[i].before});
                continue;
            }
            if (visit.feeds != kUnknown) {
                const Node n = visit.node;
                rank_[n] = static_cast<uint32_t>(order_.size());
                const bool works = d_.of_instruction(n) && event_of(n) != Event::kIssue;
                order_.push_back({visit.feeds, visit.end, works ? instruction_of(n) : kUnknown});
            }
            stack.pop_back();
        }
        for (uint32_t rank = 0; rank < order_.size(); ++rank)
            for (uint32_t i = order_[rank].feeds; i < order_[rank].end;) {
                feeds_[i].before = rank_[feeds_[i].before];
                if (feeds_[i].before < rank)
                    ++i;
                else
                    feeds_[i] = feeds_[--order_[rank].end];
            }
        rank_ = {};
    }

    // The edges into n with their lags: the one that binds has the difference of the recorded
    // times, and what takes its time whether it was the last to be done or not has that.
    void feed(Node n) {
        const size_t begin = feeds_.size();
        const Cycle to = d_.time(n);
        size_t binding = begin;
        bool found = false;
        Cycle latest = 0, whole_of_binding = 0;
        d_.for_edges(n, [&](const Edge& edge, Cycle from) {
            const Cycle whole = to - from;
            if (recorded(edge.holds) && (!found || from > latest)) {
                found = true;
                binding = feeds_.size();
                latest = from;
                whole_of_binding = whole;
            }
            Cycle lag = 0, work;
            const Node before = stands_for(edge.from, work);
            const uint16_t holds = condition(n, edge.holds);
            if (holds == kTooMany) return;
            uint8_t kept = kAlways;
            if (edge.spent == Spent::kWork || edge.spent == Spent::kLatency) {
                kept = kOfWork;
                work += whole;
            } else if (edge.spent == Spent::kBlock) {
                kept = kBlocks;
            } else if (edge.spent == Spent::kScalar) {
                kept = kScalars;
                if (is_issue(n) && d_.of_instruction(edge.from))
                    lag = whole - std::min(whole, scalar_wait(n));
            }
            feeds_.push_back(
                {before, holds, kept, static_cast<Time>(lag), static_cast<Time>(work)});
        });
        if (found && feeds_[binding].kept != kOfWork)
            feeds_[binding].lag = static_cast<Time>(whole_of_binding);
    }
    // What an edge into n holds under, numbered: 0 is always.
    uint16_t condition(Node n, Holds holds) {
        if (holds == Holds::kAlways) return 0;
        uint64_t key = static_cast<uint64_t>(holds);
        uint32_t instruction = kUnknown;
        if (holds == Holds::kUnlessUnordered || holds == Holds::kIfDeeper) {
            instruction = instruction_of(n);
            const InstructionRecord& r = d_.recording_.instructions[instruction];
            key |= uint64_t{r.location.line} << 32 | uint64_t{r.location.file} << 20 |
                   static_cast<uint64_t>(r.opcode) << 8 | static_cast<uint64_t>(r.pipe) << 4;
        }
        if (conditions_.size() + 2 >= kTooMany) return recorded(holds) ? uint16_t{0} : kTooMany;
        const auto next = static_cast<uint16_t>(1 + conditions_.size());
        const auto [entry, added] = condition_numbers_.try_emplace(key, next);
        if (added) conditions_.push_back({holds, instruction});
        return entry->second;
    }
    static bool holds_under(const Change& change, const Condition& of, const InstructionRecord* r) {
        switch (of.holds) {
            case Holds::kAlways:
                return true;
            case Holds::kUnlessNoQueueLimit:
                return !change.no_queue_limit;
            case Holds::kUnlessUnordered:
                return !(change.unordered && change.unordered(*r)) &&
                       !(change.deeper && change.deeper(*r));
            case Holds::kIfUnordered:
                return static_cast<bool>(change.unordered);
            case Holds::kIfDeeper:
                return change.deeper && change.deeper(*r);
        }
        return true;
    }
    // Instructions that no change distinguishes.
    void find_groups() {
        const Recording& r = d_.recording_;
        std::unordered_map<uint64_t, std::vector<uint32_t>> groups;  // groups, by a hash
        for (Step& step : order_) {
            if (step.instruction == kUnknown) continue;
            const InstructionRecord& record = r.instructions[step.instruction];
            const auto same = [&](uint32_t group) {
                const InstructionRecord& other = r.instructions[groups_[group]];
                return other.opcode == record.opcode && other.pipe == record.pipe &&
                       other.location == record.location &&
                       r.cores[other.core].type == r.cores[record.core].type;
            };
            std::vector<uint32_t>& some =
                groups[uint64_t{record.location.line} << 32 | uint64_t{record.location.file} << 16 |
                       static_cast<uint64_t>(record.opcode)];
            const auto found = std::find_if(some.begin(), some.end(), same);
            if (found == some.end()) {
                some.push_back(static_cast<uint32_t>(groups_.size()));
                groups_.push_back(step.instruction);
                step.instruction = some.back();
            } else {
                step.instruction = *found;
            }
        }
    }
    bool is_issue(Node n) const { return d_.of_instruction(n) && event_of(n) == Event::kIssue; }
    Cycle scalar_wait(Node n) const {
        return d_.scalar_waits_.empty() ? 0 : d_.scalar_waits_[instruction_of(n)];
    }

    struct Step {
        uint32_t feeds, end;  // those into it
        // Whose work comes after it: an instruction, and when all are known its group. kUnknown:
        // nothing does.
        uint32_t instruction;
    };

    const Dependencies& d_;
    std::vector<uint8_t> plain_;  // by instruction: nothing else waits to end with it
    std::vector<uint32_t> rank_;  // by node; while the order is found
    std::vector<Feed> feeds_;
    std::vector<Step> order_;
    std::vector<uint32_t> groups_;  // an instruction of each
    std::vector<uint8_t> changed_;  // by rank: the work of its instruction takes less time
    std::vector<Condition> conditions_;
    std::unordered_map<uint64_t, uint16_t> condition_numbers_;
    std::vector<Times> times_;  // by rank
};

template <class Time>
void Dependencies::Program<Time>::replay(std::span<const Change> changes,
                                         std::vector<Cycle>& result) {
    Kept kept{};
    for (Lanes& lags : kept.lags) lags += kAll;
    std::vector<uint8_t> of_groups(groups_.size());
    kept.shares.resize(groups_.size());
    for (Times& share : kept.shares) share.of += 256;
    kept.holds.resize(1 + conditions_.size());
    kept.holds[0].of += kAll;
    for (size_t k = 0; k < changes.size(); ++k) {
        const Change& change = changes[k];
        if (change.no_scalar) kept.lags[kScalars][k] = 0;
        kept.half[k] = change.half_scalar ? kAll : Time{0};
        if (change.no_block_gaps) kept.lags[kBlocks][k] = 0;
        for (size_t c = 0; c < conditions_.size(); ++c) {
            const InstructionRecord* const of =
                conditions_[c].instruction == kUnknown
                    ? nullptr
                    : &d_.recording_.instructions[conditions_[c].instruction];
            kept.holds[1 + c].of[k] = holds_under(change, conditions_[c], of) ? kAll : Time{0};
        }
        for (size_t group = 0; group < groups_.size(); ++group) {
            const InstructionRecord& record = d_.recording_.instructions[groups_[group]];
            unsigned share = change.keeps ? change.keeps(record) : 256;
            if (change.without && change.without(record)) share = 0;
            if (share == 256) continue;
            of_groups[group] = 1;
            kept.shares[group].of[k] = static_cast<Time>(share);
        }
    }
    changed_.resize(order_.size());
    for (size_t rank = 0; rank < changed_.size(); ++rank)
        changed_[rank] =
            order_[rank].instruction == kUnknown ? uint8_t{0} : of_groups[order_[rank].instruction];
    times_.resize(order_.size());
    widest([this, &kept, times = times_.data(), count = order_.size()] {
        const Lanes none{};
        for (size_t rank = 0; rank < count; ++rank) {
            Lanes latest = none;
            const Feed* const end = feeds_.data() + order_[rank].end;
            for (const Feed* feed = feeds_.data() + order_[rank].feeds; feed != end; ++feed) {
                Lanes time = times[feed->before].of;
                if (changed_[feed->before] == 0) {
                    time += none + feed->work;
                } else {
                    const uint32_t group = order_[feed->before].instruction;
                    time += ((none + feed->work) * kept.shares[group].of) >> 8;
                }
                time += (none + feed->lag) & kept.lags[feed->kept];
                if (feed->kept == kScalars) time -= (none + feed->lag / 2) & kept.half;
                if (feed->holds != 0) time &= kept.holds[feed->holds].of;
                const Lanes later = reinterpret_cast<Lanes>(time > latest);
                latest = (time & later) | (latest & ~later);
            }
            times[rank].of = latest;
        }
    });
    for (size_t k = 0; k < changes.size(); ++k) result.push_back(times_.back().of[k]);
}

std::vector<Cycle> Dependencies::replay_all(std::span<const Change> changes) const {
    std::vector<Cycle> result;
    const auto with = [&](auto program) {
        while (!changes.empty()) {
            const auto some = changes.first(std::min(changes.size(), program.kWidth));
            program.replay(some, result);
            changes = changes.subspan(some.size());
        }
    };
    // Work is multiplied with its share.
    const bool short_works = std::all_of(
        recording_.instructions.begin(), recording_.instructions.end(),
        [](const InstructionRecord& r) { return r.completed - r.started < Cycle{1} << 20; });
    if (short_works && recording_.end - recording_.begin < UINT32_MAX)
        with(Program<uint32_t>(*this));
    else
        with(Program<uint64_t>(*this));
    return result;
}

}  // namespace ptosim
