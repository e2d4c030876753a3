#include "traces/analyse/series.h"

#include <algorithm>
#include <map>

#include "traces/analyse/labels.h"
#include "traces/analyse/phrases.h"
#include "traces/record/core_index.h"

namespace ptosim {

namespace {

// When a value went up and when down, and by how much; each nearly in order of time.
template <class Change>
struct UpsAndDowns {
    std::vector<Change> ups, downs;
    bool empty() const { return ups.empty() && downs.empty(); }
};
struct ByBytes {
    Cycle at;
    uint64_t bytes;
    friend bool operator<(const ByBytes& a, const ByBytes& b) { return a.at < b.at; }
};
Cycle when(Cycle change) { return change; }
uint64_t amount(Cycle) { return 1; }
Cycle when(const ByBytes& change) { return change.at; }
uint64_t amount(const ByBytes& change) { return change.bytes; }

template <class Change>
std::vector<std::pair<Cycle, uint64_t>> steps(UpsAndDowns<Change>& changes, Cycle begin,
                                              Cycle end) {
    for (std::vector<Change>* list : {&changes.ups, &changes.downs})
        if (!std::is_sorted(list->begin(), list->end())) std::sort(list->begin(), list->end());
    std::vector<std::pair<Cycle, uint64_t>> points{{begin, 0}};
    int64_t value = 0;
    const auto time = [&](const std::vector<Change>& list, size_t i) {
        return i < list.size() ? std::clamp(when(list[i]), begin, end) : kNever;
    };
    for (size_t up = 0, down = 0; up < changes.ups.size() || down < changes.downs.size();) {
        const Cycle at = std::min(time(changes.ups, up), time(changes.downs, down));
        for (; time(changes.ups, up) == at; ++up)
            value += static_cast<int64_t>(amount(changes.ups[up]));
        for (; time(changes.downs, down) == at; ++down)
            value -= static_cast<int64_t>(amount(changes.downs[down]));
        const uint64_t now = value > 0 ? static_cast<uint64_t>(value) : 0;
        if (points.back().first == at)
            points.back().second = now;
        else if (points.back().second != now)
            points.emplace_back(at, now);
    }
    changes = {};
    return points;
}

// The highest value of each of `most` stretches.
void thin(std::vector<std::pair<Cycle, uint64_t>>& points, Cycle begin, Cycle end, size_t most) {
    if (points.size() <= most || end <= begin) return;
    std::vector<std::pair<Cycle, uint64_t>> result;
    size_t next = 0;
    uint64_t value = 0;
    for (size_t bin = 0; bin < most; ++bin) {
        const Cycle from = begin + (end - begin) * bin / most;
        const Cycle to = begin + (end - begin) * (bin + 1) / most;
        uint64_t highest = value;
        for (; next < points.size() && points[next].first < to; ++next) {
            value = points[next].second;
            if (points[next].first == from && highest == 0) highest = value;
            highest = std::max(highest, value);
        }
        if (result.empty() || result.back().second != highest) result.emplace_back(from, highest);
    }
    result.emplace_back(end, value);
    points = std::move(result);
}

std::string_view memory_name(uint8_t memory) {
    if (memory == OperandSet::kGlobalMemory) return "GM";
    return memory == OperandSet::kNoMemory ? "" : name(static_cast<Space>(memory - 1));
}

}  // namespace

uint64_t Series::highest() const {
    uint64_t result = 0;
    for (const auto& [at, value] : points) result = std::max(result, value);
    return result;
}

Paths::Paths(const Recording& recording)
    : recording_{recording}, first_(recording.operands.size()) {}

const Paths::Move& Paths::of(const InstructionRecord& record) {
    Known& cached = first_[record.operands];
    if (cached.opcode == record.opcode) return cached.move;
    if (cached.opcode == Opcode::kCount) {
        cached = {record.opcode, find(record)};
        return cached.move;
    }
    const auto [entry, added] = others_.try_emplace({record.operands, record.opcode});
    if (added) entry->second = find(record);
    return entry->second;
}

Paths::Move Paths::find(const InstructionRecord& record) {
    Move move;
    move.bytes = moved_bytes(recording_, record);
    if (move.bytes == 0) return move;
    std::string_view from, to;
    for (const OperandSet::Item& item : recording_.operands_of(record).items) {
        if (item.memory == OperandSet::kNoMemory) continue;
        if ((item.roles & OperandSet::kWritten) != 0 && to.empty())
            to = memory_name(item.memory);
        else if (from.empty())
            from = memory_name(item.memory);
    }
    if (from.empty() || to.empty()) return move;
    const std::string name = std::string(from) + "->" + std::string(to);
    const auto found = std::find(names_.begin(), names_.end(), name);
    move.path = static_cast<int32_t>(found - names_.begin());
    if (found == names_.end()) names_.push_back(name);
    return move;
}

namespace {

// Amounts over equal stretches of the run.
class Stretches {
 public:
    Stretches(const Recording& recording, size_t bins)
        : r_{recording},
          whole_{recording.end - recording.begin},
          bins_{std::min<size_t>(bins, whole_)} {}
    bool empty() const { return whole_ == 0; }

    // Spreads an amount evenly over the time of an instruction.
    void add(const std::string& name, const InstructionRecord& record, uint64_t amount) {
        std::vector<uint64_t>& stretch = amounts_[name];
        stretch.resize(bins_);
        const Cycle begin = std::clamp(record.started, r_.begin, r_.end - 1);
        const Cycle end = std::max(record.pipe_free, begin + 1);
        size_t bin = static_cast<size_t>((begin - r_.begin) * bins_ / whole_);
        while (bin > 0 && begin_of(bin) > begin) --bin;
        // Amount spread up to a cycle, so that rounding loses nothing.
        uint64_t before = 0;
        for (; bin < bins_ && before < amount; ++bin) {
            const Cycle until = std::min(end, begin_of(bin + 1));
            if (until <= begin) continue;
            const uint64_t now =
                bin + 1 == bins_ ? amount : amount * (until - begin) / (end - begin);
            stretch[bin] += now - before;
            before = now;
        }
    }
    // Rates in megabytes per second.
    std::vector<Series> rates() const {
        std::vector<Series> result;
        for (const auto& [name, stretch] : amounts_) {
            Series series;
            series.name = name;
            series.unit = "MB/s";
            for (size_t bin = 0; bin < bins_; ++bin) {
                const Cycle cycles = begin_of(bin + 1) - begin_of(bin);
                const uint64_t rate = stretch[bin] * (r_.clock_hz() / 1000) / (cycles * 1000);
                if (series.points.empty() || series.points.back().second != rate)
                    series.points.emplace_back(begin_of(bin), rate);
            }
            series.points.emplace_back(r_.end, 0);
            result.push_back(std::move(series));
        }
        return result;
    }

 private:
    Cycle begin_of(size_t bin) const { return r_.begin + whole_ * bin / bins_; }

    const Recording& r_;
    Cycle whole_;
    size_t bins_;
    std::map<std::string, std::vector<uint64_t>> amounts_;
};

}  // namespace

std::vector<Series> bandwidth_series(const Recording& recording, size_t bins) {
    Stretches stretches(recording, bins);
    if (stretches.empty()) return {};
    Paths paths(recording);
    for (const InstructionRecord& record : recording.instructions) {
        if (!record.has(InstructionRecord::kCompleted)) continue;
        const Paths::Move& move = paths.of(record);
        if (move.path >= 0)
            stretches.add(paths.names()[static_cast<size_t>(move.path)], record, move.bytes);
    }
    std::vector<Series> result = stretches.rates();
    for (Series& series : result) {
        if (series.name.starts_with("GM->"))
            series.limit = recording.facts.read_bytes_per_second / 1000000;
        if (series.name.ends_with("->GM"))
            series.limit = recording.facts.write_bytes_per_second / 1000000;
    }
    return result;
}

std::vector<Series> l2_series(const Recording& recording, size_t bins) {
    Stretches stretches(recording, bins);
    if (stretches.empty()) return {};
    for (const InstructionRecord& record : recording.instructions) {
        if (!record.has(InstructionRecord::kCompleted)) continue;
        if (record.l2_hit_bytes + record.l2_miss_bytes == 0) continue;
        stretches.add("L2 hits", record, record.l2_hit_bytes);
        stretches.add("L2 misses", record, record.l2_miss_bytes);
    }
    return stretches.rates();
}

std::vector<Series> queue_series(const Recording& recording, size_t most) {
    std::vector<std::array<UpsAndDowns<Cycle>, kPipeCount>> changes(recording.cores.size());
    for (const InstructionRecord& record : recording.instructions) {
        if (record.issued >= record.started) continue;
        UpsAndDowns<Cycle>& list = changes[record.core][static_cast<size_t>(record.pipe)];
        list.ups.push_back(record.issued);
        list.downs.push_back(record.started);
    }
    std::vector<Series> result;
    for (uint16_t core : lane_order(recording.cores))
        for (unsigned pipe = 0; pipe < kPipeCount; ++pipe) {
            if (changes[core][pipe].empty()) continue;
            Series series;
            series.name = std::string(name(static_cast<Pipe>(pipe))) + " queue";
            series.unit = "instructions";
            series.core = core;
            series.limit = recording.facts.queue_depth;
            series.points = steps(changes[core][pipe], recording.begin, recording.end);
            thin(series.points, recording.begin, recording.end, most);
            result.push_back(std::move(series));
        }
    return result;
}

std::vector<Series> tensor_series(const Recording& recording, size_t most) {
    std::map<std::pair<uint16_t, std::string>, UpsAndDowns<Cycle>> queues;
    if (!recording.sources.has_calls()) return {};
    constexpr std::string_view kPuts = "EnQue";
    for (const FlagRecord& flag : recording.flags) {
        const auto* const call = recording.sources.call(flag.set_location, Opcode::kSET_FLAG);
        if (flag.cross_core || call == nullptr || call->function != kPuts) continue;
        std::string name = object_of_call(recording.sources.line(flag.set_location), kPuts);
        if (name.empty()) name = "queue at " + recording.sources.text(flag.set_location);
        UpsAndDowns<Cycle>& changes = queues[{flag.core, std::move(name)}];
        changes.ups.push_back(flag.set);
        if (flag.consumed != kNever) changes.downs.push_back(flag.consumed);
    }
    std::vector<Series> result;
    for (uint16_t core : lane_order(recording.cores))
        for (auto queue = queues.lower_bound({core, ""});
             queue != queues.end() && queue->first.first == core; ++queue) {
            Series series;
            series.name = queue->first.second + " (TQue)";
            series.unit = "tensors";
            series.core = core;
            series.points = steps(queue->second, recording.begin, recording.end);
            thin(series.points, recording.begin, recording.end, most);
            result.push_back(std::move(series));
        }
    return result;
}

namespace {

// True if an instruction reads the tile of `item`, there or by another operand with its address.
bool reads_at(const OperandSet& operands, const OperandSet::Item& item) {
    for (const OperandSet::Item& other : operands.items)
        if (other.memory == item.memory && other.address == item.address &&
            (other.roles & OperandSet::kRead) != 0)
            return true;
    return false;
}

}  // namespace

std::vector<Series> occupancy_series(const Recording& recording, size_t most) {
    // If nothing orders a write and the readers of the tile before it, the write ends the life of
    // that tile: a tile is there once.
    struct Live {
        Cycle after = 0;  // the life before it
        Cycle begin = 0, last = 0;
        uint32_t bytes = 0;
        bool read = false;
    };
    struct Buffer {
        std::map<uint32_t, Live> tiles;  // by address
        UpsAndDowns<ByBytes> changes;
        void close(const Live& live) {
            changes.ups.push_back({live.begin, live.bytes});
            changes.downs.push_back({live.last, live.bytes});
        }
    };
    std::vector<std::array<Buffer, kSpaceCount>> buffers(recording.cores.size());
    for (const InstructionRecord& record : recording.instructions) {
        if (record.has(InstructionRecord::kSync) || !record.has(InstructionRecord::kStarted))
            continue;
        for (const OperandSet::Item& item : recording.operands_of(record).items) {
            if (item.memory == OperandSet::kNoMemory || item.memory == OperandSet::kGlobalMemory)
                continue;
            Buffer& buffer = buffers[record.core][item.memory - 1u];
            const auto [entry, added] = buffer.tiles.try_emplace(item.address);
            Live& live = entry->second;
            const bool reads = reads_at(recording.operands_of(record), item);
            if (added || (!reads && live.read)) {
                Cycle after = 0;
                if (!added) {
                    live.last = std::clamp(record.started, live.begin, live.last);
                    after = live.last;
                    buffer.close(live);
                }
                const Cycle begin = std::max(after, record.started);
                live = {after, begin, begin, 0, false};
            }
            live.begin = std::max(live.after, std::min(live.begin, record.started));
            live.last = std::max(live.last, record.completed);
            live.bytes = std::max(live.bytes, item.bytes);
            live.read |= reads;
        }
    }
    std::vector<Series> result;
    for (uint16_t core : lane_order(recording.cores))
        for (unsigned space = 0; space < kSpaceCount; ++space) {
            Buffer& buffer = buffers[core][space];
            for (const auto& [address, live] : buffer.tiles) buffer.close(live);
            if (buffer.changes.empty()) continue;
            Series series;
            series.name = name(static_cast<Space>(space));
            series.unit = "bytes";
            series.core = core;
            series.limit = recording.facts.buffer_bytes[space];
            series.points = steps(buffer.changes, recording.begin, recording.end);
            thin(series.points, recording.begin, recording.end, most);
            result.push_back(std::move(series));
        }
    return result;
}

}  // namespace ptosim
