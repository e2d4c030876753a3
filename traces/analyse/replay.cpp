// Durations of a run on a changed machine: replays its events with less time between them.
#include <algorithm>
#include <array>
#include <unordered_map>

#include "isa/numeric/wide.h"
#include "traces/analyse/dependency_edges.h"

namespace ptosim {

// The events that the end of the run depends on, each after the ones before it, with the events
// that it waits for. Many changes are replayed at once, next to each other. Times are from the
// begin of the run: none is later than the recorded one.
//
// In most cases the start alone determines when the pipe is free again and when a result is there:
// these events are skipped, and the events that wait for them wait for the start and add their
// duration.
template <class Time>
class Dependencies::Program {
 public:
    Program(const Dependencies& d, const EdgesTo& changed) : d_{d}, changed_edges_{changed} {
        find_times();
        find_skipped();
        find_groups();
        find_order();
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

    void find_times() {
        const Recording& r = d_.recording_;
        const auto since_begin = [&r](Cycle time) { return static_cast<Time>(time - r.begin); };
        at_.reserve(d_.runs_at_ + 2 * r.runs.size());
        at_ = {0, since_begin(r.end)};
        for (const InstructionRecord& record : r.instructions)
            for (const Cycle time :
                 {record.issued, record.started, record.pipe_free, record.completed})
                at_.push_back(since_begin(time));
        for (const RunRecord& run : r.runs)
            for (const Cycle time : {run.begin, run.end}) at_.push_back(since_begin(time));
    }
    void find_skipped() {
        const Recording& r = d_.recording_;
        skipped_.resize(r.instructions.size());
        for (size_t i = 0; i < skipped_.size(); ++i) {
            const InstructionRecord& record = r.instructions[i];
            if (!record.has(InstructionRecord::kCompleted)) continue;
            skipped_[i] = bit(Event::kFree);
            // A set is done when all before it are.
            if (!record.has(InstructionRecord::kSync)) skipped_[i] |= bit(Event::kDone);
        }
        for (const EdgeTo& edge : d_.to_instructions_.edges)
            if (event_of(edge.to) >= Event::kFree) skipped_[instruction_of(edge.to)] = 0;
    }
    static constexpr uint8_t bit(Event event) {
        return static_cast<uint8_t>(1u << static_cast<unsigned>(event));
    }
    // The event to wait for in place of n, and the work after it.
    Node stands_for(Node n, Time& work) const {
        work = 0;
        if (!d_.of_instruction(n)) return n;
        const uint32_t i = instruction_of(n);
        if ((skipped_[i] & bit(event_of(n))) == 0) return n;
        const Node start = d_.node(i, Event::kStart);
        work = at_[n] - at_[start];
        return start;
    }

    // Groups instructions that every change of the replay treats alike.
    void find_groups() {
        const Recording& r = d_.recording_;
        struct Found {
            uint64_t key = 0;
            uint32_t group = kUnknown;
        };
        std::vector<Found> recent(256);                              // by the key's last bits
        std::unordered_map<uint64_t, std::vector<uint32_t>> groups;  // all of them, by the key
        group_of_.resize(r.instructions.size());
        for (uint32_t i = 0; i < group_of_.size(); ++i) {
            const InstructionRecord& record = r.instructions[i];
            const auto is_of = [&](uint32_t group) {
                const InstructionRecord& other = r.instructions[groups_[group]];
                return other.opcode == record.opcode && other.pipe == record.pipe &&
                       other.location == record.location &&
                       r.cores[other.core].type == r.cores[record.core].type;
            };
            const uint64_t key = uint64_t{record.location.line} << 32 |
                                 uint64_t{record.location.file} << 16 |
                                 static_cast<uint64_t>(record.opcode);
            Found& last = recent[(key ^ key >> 32) % recent.size()];
            if (last.group == kUnknown || last.key != key || !is_of(last.group)) {
                std::vector<uint32_t>& some = groups[key];
                const auto found = std::find_if(some.begin(), some.end(), is_of);
                if (found == some.end()) {
                    some.push_back(static_cast<uint32_t>(groups_.size()));
                    groups_.push_back(i);
                    last = {key, some.back()};
                } else {
                    last = {key, *found};
                }
            }
            group_of_[i] = last.group;
        }
        for (std::vector<uint16_t>& conditions : conditions_of_) conditions.resize(groups_.size());
    }

    // Depth first from the end of the run. Of events of one time that go round, any may be first:
    // the edge that closes the round is left out.
    void find_order() {
        rank_.assign(at_.size(), kUnknown);
        // Mostly enough; the unused rest takes no memory.
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
                order_.push_back(
                    {visit.feeds, visit.end, works ? group_of_[instruction_of(n)] : kUnknown});
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
        const Time to = at_[n];
        size_t binding = feeds_.size();
        bool found = false;
        Time latest = 0;
        const auto time_of = [this](Node k) { return at_[k]; };
        const auto add = [&](const Edge& edge, Time from) {
            if (recorded(edge.holds) && (!found || from > latest)) {
                found = true;
                binding = feeds_.size();
                latest = from;
            }
            Time lag = 0, work;
            const Node before = stands_for(edge.from, work);
            const uint16_t holds = edge.holds == Holds::kAlways ? 0 : condition(n, edge.holds);
            if (holds == kTooMany) return;
            uint8_t kept = kAlways;
            if (edge.spent == Spent::kWork || edge.spent == Spent::kLatency) {
                kept = kOfWork;
                work += to - from;
            } else if (edge.spent == Spent::kBlock) {
                kept = kBlocks;
            } else if (edge.spent == Spent::kScalar) {
                kept = kScalars;
                if (is_issue(n) && d_.of_instruction(edge.from))
                    lag = static_cast<Time>(to - from - std::min<Cycle>(to - from, scalar_wait(n)));
            }
            feeds_.push_back({before, holds, kept, lag, work});
        };
        d_.for_edges(n, time_of, add);
        if (!changed_edges_.edges.empty() && d_.of_instruction(n)) {
            const uint32_t i = instruction_of(n);
            for (uint32_t e = changed_edges_.first[i]; e < changed_edges_.first[i + 1]; ++e)
                if (changed_edges_.edges[e].to == n)
                    add(changed_edges_.edges[e].edge, at_[changed_edges_.edges[e].edge.from]);
        }
        if (found && feeds_[binding].kept != kOfWork) feeds_[binding].lag = to - latest;
    }
    // Number of the condition under which an edge into n holds; 0: always.
    uint16_t condition(Node n, Holds holds) {
        const bool of_group = holds == Holds::kUnlessUnordered || holds == Holds::kIfDeeper;
        if (!of_group) return condition(static_cast<uint64_t>(holds), holds, kUnknown);
        const uint32_t instruction = instruction_of(n);
        const uint32_t group = group_of_[instruction];
        uint16_t& number = conditions_of_[holds == Holds::kIfDeeper][group];
        if (number == 0)
            number = condition((uint64_t{group} + 1) << 8 | static_cast<uint64_t>(holds), holds,
                               instruction);
        return number;
    }
    uint16_t condition(uint64_t key, Holds holds, uint32_t instruction) {
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
    bool is_issue(Node n) const { return d_.of_instruction(n) && event_of(n) == Event::kIssue; }
    Cycle scalar_wait(Node n) const {
        return d_.scalar_waits_.empty() ? 0 : d_.scalar_waits_[instruction_of(n)];
    }

    struct Step {
        uint32_t feeds, end;  // those into it
        uint32_t group;  // of the instruction whose work comes after it; kUnknown: nothing does
    };

    const Dependencies& d_;
    const EdgesTo& changed_edges_;    // that hold under no change but these, by instruction
    std::vector<Time> at_;            // by node: its recorded time
    std::vector<uint8_t> skipped_;    // by instruction, a bit of each event
    std::vector<uint32_t> group_of_;  // by instruction
    std::vector<uint32_t> rank_;      // by node; while the order is found
    std::vector<Feed> feeds_;
    std::vector<Step> order_;
    std::vector<uint32_t> groups_;  // an instruction of each
    std::vector<uint8_t> changed_;  // by rank: the work of its instruction takes less time
    std::vector<Condition> conditions_;
    std::unordered_map<uint64_t, uint16_t> condition_numbers_;
    // Conditions by group: first of waits that may hold nothing, then of waits that may be deeper.
    // 0: not known yet.
    std::array<std::vector<uint16_t>, 2> conditions_of_;
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
            order_[rank].group == kUnknown ? uint8_t{0} : of_groups[order_[rank].group];
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
                    const uint32_t group = order_[feed->before].group;
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
    const EdgesTo changed = changed_edges(changes);
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
        with(Program<uint32_t>(*this, changed));
    else
        with(Program<uint64_t>(*this, changed));
    return result;
}

}  // namespace ptosim
