// The edges that hold only on a changed machine: bytes that conflict, where flags and barriers are
// taken away, and the releases before, where a buffer has one more slot.
#include <algorithm>
#include <map>
#include <unordered_map>

#include "traces/analyse/dependency_edges.h"

namespace ptosim {

namespace {

// The last write of each byte of a memory, and the reads since, by pipe: the last access of a pipe
// represents its earlier ones.
class Bytes {
 public:
    using OfPipes = std::array<uint32_t, kPipeCount>;

    template <class F>
    void read(uint32_t begin, uint32_t end, Pipe pipe, uint32_t by, F&& after) {
        for_range(begin, end, [&](Range& range) {
            after(range.writer);
            range.readers[static_cast<size_t>(pipe)] = by;
        });
    }
    template <class F>
    void write(uint32_t begin, uint32_t end, uint32_t by, F&& after) {
        for_range(begin, end, [&](Range& range) {
            after(range.writer);
            for (const uint32_t reader : range.readers) after(reader);
            range.writer = by;
            range.readers.fill(kNone);
        });
    }

 private:
    struct Range {
        uint32_t end = 0;
        uint32_t writer = kNone;
        OfPipes readers = [] {
            OfPipes none;
            none.fill(kNone);
            return none;
        }();
    };
    using Ranges = std::map<uint32_t, Range>;  // by their begins; they do not overlap

    void split(uint32_t at) {
        auto after = ranges_.upper_bound(at);
        if (after == ranges_.begin()) return;
        const auto range = std::prev(after);
        if (range->first == at || range->second.end <= at) return;
        ranges_.emplace_hint(after, at, range->second);
        range->second.end = at;
    }
    template <class F>
    void for_range(uint32_t begin, uint32_t end, F&& f) {
        split(begin);
        split(end);
        auto at = ranges_.lower_bound(begin);
        for (uint32_t next = begin; next < end;) {
            if (at == ranges_.end() || at->first > next) {
                Range fresh;
                fresh.end = at == ranges_.end() ? end : std::min(end, at->first);
                at = ranges_.emplace_hint(at, next, fresh);
            }
            f(at->second);
            next = at->second.end;
            ++at;
        }
    }

    Ranges ranges_;
};

}  // namespace

// Global memory is not looked at: recordings do not hold where in it an instruction works.
void Dependencies::make_conflict_edges(Edges& edges) const {
    const Index& index = *index_;
    for (const std::vector<uint32_t>& program : index.program) {
        std::array<Bytes, kSpaceCount> memories;
        for (const uint32_t i : program) {
            const InstructionRecord& record = recording_.instructions[i];
            if (record.has(InstructionRecord::kSync) || !record.has(InstructionRecord::kCompleted))
                continue;
            Bytes::OfPipes before;
            before.fill(kNone);
            const auto after = [&](uint32_t other) {
                if (other == kNone || other == i) return;
                const InstructionRecord& o = recording_.instructions[other];
                uint32_t& last = before[static_cast<size_t>(o.pipe)];
                if (last == kNone || recording_.instructions[last].completed < o.completed)
                    last = other;
            };
            const OperandSet& set = recording_.operands_of(record);
            for (const auto role : {OperandSet::kRead, OperandSet::kWritten})
                for (const OperandSet::Item& item : set.items) {
                    const bool tile = item.memory != 0 && item.memory <= kSpaceCount;
                    if (!tile || (item.roles & role) == 0 || item.bytes == 0) continue;
                    const uint32_t end = item.address + item.bytes;
                    Bytes& memory = memories[item.memory - 1u];
                    if (role == OperandSet::kRead)
                        memory.read(item.address, end, record.pipe, i, after);
                    else
                        memory.write(item.address, end, i, after);
                }
            for (const uint32_t other : before)
                if (other != kNone)
                    edges.add(node(i, Event::kStart), node(other, Event::kDone), Spent::kSignal, -1,
                              Holds::kIfUnordered);
        }
    }
}

// Among the waits at one location of a core for one pipe by another one, with any ids in turn, each
// takes the release that the wait before it took.
void Dependencies::make_deeper_edges(Edges& edges) const {
    const Index& index = *index_;
    struct Release {
        uint32_t waiter;  // sequence
        uint32_t wait, by;
    };
    struct Site {
        uint32_t line;
        uint16_t core, file, column;
        Pipe source, destination;
        bool operator==(const Site&) const = default;
    };
    struct Hash {
        size_t operator()(const Site& site) const {
            return (uint64_t{site.line} << 16 | site.core) * 0x9E3779B97F4A7C15u ^
                   (uint64_t{site.file} << 16 | site.column);
        }
    };
    std::unordered_map<Site, std::vector<Release>, Hash> sites;
    const auto note = [&](uint16_t core, uint32_t waiter, uint32_t by, Pipe source, Pipe to) {
        if (waiter == kNone || by == kNone) return;
        const InstructionRecord& record = recording_.instructions[waiter];
        const SourceLocation& at = record.location;
        sites[{at.line, core, at.file, at.column, source, to}].push_back(
            {record.sequence, waiter, by});
    };
    for (const FlagRecord& flag : recording_.flags)
        if (flag.consumed != kNever)
            note(flag.core, index.find(flag.core, flag.wait_sequence),
                 index.find(flag.from, flag.set_sequence), flag.source, flag.destination);
    for (const WaitRecord& wait : recording_.waits)
        if (wait.cause.reason == BlockReason::kData && !wait.open)
            note(wait.core, index.find(wait.core, wait.sequence),
                 index.find(wait.core, wait.released_by), wait.pipe, wait.pipe);
    for (auto& [site, releases] : sites) {
        std::stable_sort(releases.begin(), releases.end(),
                         [](const Release& a, const Release& b) { return a.waiter < b.waiter; });
        for (size_t k = 1; k < releases.size(); ++k)
            edges.add(node(releases[k].wait, Event::kStart), node(releases[k - 1].by, Event::kDone),
                      Spent::kSignal, -1, Holds::kIfDeeper);
    }
}

Dependencies::EdgesTo Dependencies::changed_edges(std::span<const Change> changes) const {
    const auto wants = [changes](auto Change::*member) {
        return std::any_of(changes.begin(), changes.end(), [member](const Change& change) {
            return static_cast<bool>(change.*member);
        });
    };
    Edges edges(*this);
    if (what_if_ && wants(&Change::unordered)) make_conflict_edges(edges);
    if (what_if_ && wants(&Change::deeper)) make_deeper_edges(edges);
    return by_instruction(edges);
}

}  // namespace ptosim
