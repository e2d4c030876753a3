#include "traces/analyse/analysis.h"

#include <algorithm>
#include <map>
#include <set>
#include <unordered_map>

#include "isa/table/instruction_table.h"
#include "traces/analyse/bottleneck.h"
#include "traces/analyse/labels.h"
#include "traces/analyse/series.h"
#include "traces/analyse/work_meter.h"

namespace ptosim {

namespace {

constexpr unsigned kWorthyPercent = 1;  // savings below are not listed

uint64_t key(SourceLocation at) { return uint64_t{at.file} << 32 | at.line; }

// Adds up lines, opcodes and calls.
class Costs {
 public:
    explicit Costs(const Recording& recording) : recording_{recording} {
        Paths paths(recording);
        for (const InstructionRecord& record : recording.instructions) {
            if (!record.has(InstructionRecord::kStarted)) continue;
            const uint64_t moved = paths.of(record).bytes;
            for (Hotspot* cost : {&line(record.location), &opcode(record.opcode, record.pipe),
                                  call(record.location, record.opcode, record.pipe)}) {
                if (cost == nullptr) continue;
                cost->instructions += record.has(InstructionRecord::kCompleted);
                cost->busy += record.pipe_free - record.started;
                cost->bytes += moved;
            }
        }
        for (const WaitRecord& wait : recording.waits) {
            const Cycle cycles = wait.end - wait.begin;
            if (wait.cause.waiter.line != 0) line(wait.cause.waiter).wait += cycles;
            if (wait.cause.opcode != Opcode::kCount)
                opcode(wait.cause.opcode, wait.pipe).wait += cycles;
            if (Hotspot* of = call(wait.cause.waiter, wait.cause.opcode, wait.pipe))
                of->wait += cycles;
        }
    }
    void critical(const Dependencies::Step& step) {
        if (step.instruction < 0) return;
        const InstructionRecord& record =
            recording_.instructions[static_cast<size_t>(step.instruction)];
        // The time before a block has issued anything belongs to no line.
        if (step.spent != Spent::kBlock) line(record.location).critical += step.end - step.begin;
        if (step.spent != Spent::kWork && step.spent != Spent::kLatency) return;
        opcode(record.opcode, record.pipe).critical += step.end - step.begin;
        if (Hotspot* of = call(record.location, record.opcode, record.pipe))
            of->critical += step.end - step.begin;
    }
    static std::vector<Hotspot> sorted(const auto& costs) {
        std::vector<Hotspot> result;
        for (const auto& [k, cost] : costs) result.push_back(cost);
        std::sort(result.begin(), result.end(), [](const Hotspot& a, const Hotspot& b) {
            return std::tie(b.busy, b.critical, b.wait, a.name, a.text) <
                   std::tie(a.busy, a.critical, a.wait, b.name, b.text);
        });
        return result;
    }
    std::vector<Hotspot> lines() const { return sorted(lines_); }
    std::vector<Hotspot> opcodes() const { return sorted(opcodes_); }
    std::vector<Hotspot> calls() const { return sorted(calls_); }

 private:
    Hotspot& line(SourceLocation at) {
        const auto [entry, added] = lines_.try_emplace(key(at));
        if (added) {
            entry->second.name = at.line == 0 ? "unknown" : recording_.sources.text(at);
            entry->second.text = recording_.sources.line(at);
            entry->second.origin = recording_.sources.origin(at);
        }
        return entry->second;
    }
    // Null: the line issues the instruction itself.
    Hotspot* call(SourceLocation at, Opcode opcode, Pipe pipe) {
        const SourceMap::Call* const call = recording_.sources.call(at, opcode);
        if (call == nullptr) return nullptr;
        Hotspot& cost = calls_[{call->function, pipe}];
        cost.name = call->function;
        cost.text = name(pipe);
        return &cost;
    }
    Hotspot& opcode(Opcode opcode, Pipe pipe) {
        const uint64_t k = static_cast<uint64_t>(opcode) << 8 | static_cast<uint64_t>(pipe);
        const auto [entry, added] = opcodes_.try_emplace(k);
        if (added) {
            entry->second.name = info(opcode).name;
            entry->second.text = name(pipe);
        }
        return entry->second;
    }

    const Recording& recording_;
    std::unordered_map<uint64_t, Hotspot> lines_, opcodes_;
    std::map<std::pair<std::string, Pipe>, Hotspot> calls_;
};

// The lowest of the roofs above the run's point.
void find_roof(Roofline& r) {
    if (r.peak_per_second == 0 || r.bandwidth_per_second == 0 || r.bytes() == 0) return;
    const auto least = [](uint64_t bytes, uint64_t per_second) {  // seconds for the bytes
        return per_second == 0 ? 0.0 : static_cast<double>(bytes) / static_cast<double>(per_second);
    };
    const double compute = least(r.operations(), r.peak_per_second);
    const double l2 = least(r.bytes(), r.bandwidth_per_second);
    const double hbm = least(r.hbm_bytes, r.hbm_per_second);
    r.roof = compute >= std::max(l2, hbm) ? "peak" : hbm > l2 ? "HBM" : "L2";
    r.bound = r.roof == "peak" ? "compute" : "memory";
}

Roofline roofline(const Recording& recording, std::map<std::string, uint64_t>& traffic) {
    Roofline result;
    const Work work = work_of(recording);
    result.cube_operations = 2 * work.all_products();  // a multiplication and an addition
    result.read_bytes = work.read_bytes;
    result.written_bytes = work.written_bytes;
    Peaks peaks = recording.facts.peaks;
    const double per_thousand_cycles =
        recording.clock_hz() == 0 ? 0 : 1000.0 / static_cast<double>(recording.clock_hz());
    peaks.hbm_bytes = static_cast<uint64_t>(
        static_cast<double>(recording.facts.hbm_bytes_per_second) * per_thousand_cycles);
    result.least = bounds(peaks, work);
    std::set<uint16_t> cubes, vectors, readers;
    Paths paths(recording);
    std::vector<uint64_t> moved_on;  // by path
    for (const InstructionRecord& record : recording.instructions) {
        if (!record.has(InstructionRecord::kCompleted)) continue;
        if (record.pipe == Pipe::kM && !record.has(InstructionRecord::kSync)) {
            cubes.insert(record.core);
        } else if (record.pipe == Pipe::kV && !record.has(InstructionRecord::kSync)) {
            const OperandSet& set = recording.operands_of(record);
            result.vector_operations += uint64_t{set.items[0].rows} * set.items[0].cols;
            vectors.insert(record.core);
        }
        const Paths::Move& move = paths.of(record);
        if (move.path < 0) continue;
        moved_on.resize(paths.names().size());
        moved_on[static_cast<size_t>(move.path)] += move.bytes;
        if (record.pipe != Pipe::kMTE2) continue;
        readers.insert(record.core);
        result.hbm_bytes += record.l2_miss_bytes;
        result.hbm_again_bytes += record.l2_again_bytes();
    }
    for (size_t i = 0; i < moved_on.size(); ++i) traffic[paths.names()[i]] += moved_on[i];
    // Counts the cores that read, as the peak counts the cores that compute.
    uint64_t of_readers = 0;
    for (const uint16_t core : readers)
        of_readers +=
            (recording.cores[core].type == CoreType::kAIC ? recording.facts.aic_read_rate
                                                          : recording.facts.aiv_read_rate) *
            (recording.clock_hz() / 1000);
    const auto to_readers = [of_readers](uint64_t all) {
        return of_readers > 0 ? std::min(all, of_readers) : all;
    };
    result.bandwidth_per_second = to_readers(recording.facts.read_bytes_per_second);
    result.hbm_per_second = to_readers(recording.facts.hbm_bytes_per_second);
    if (result.cube_operations > 0) {
        const auto most = static_cast<size_t>(
            std::max_element(work.products.begin(), work.products.end()) - work.products.begin());
        result.peak_per_second = cubes.size() * recording.facts.cube_operations_per_second[most];
        result.peak_of = std::to_string(cubes.size()) +
                         (cubes.size() == 1 ? " cube, " : " cubes, ") +
                         std::string(name(static_cast<DType>(most)));
    } else if (result.vector_operations > 0) {
        result.peak_per_second =
            vectors.size() * recording.facts.vector_bytes_per_cycle / 4 * recording.clock_hz();
        result.peak_of = std::to_string(vectors.size()) +
                         (vectors.size() == 1 ? " vector unit, 32 bits" : " vector units, 32 bits");
    }
    find_roof(result);
    return result;
}

std::vector<BufferUse> buffer_uses(const Recording& recording) {
    std::array<BufferUse, kSpaceCount> uses{};
    std::array<bool, kSpaceCount> used{};
    std::vector<bool> touched(recording.operands.size());
    for (const InstructionRecord& record : recording.instructions)
        if (record.has(InstructionRecord::kStarted)) touched[record.operands] = true;
    for (size_t i = 0; i < touched.size(); ++i)
        for (const OperandSet::Item& item : recording.operands[i].items) {
            if (!touched[i]) break;
            // Sets of sync instructions hold pipes; they have no bytes.
            if (item.bytes == 0 || item.memory == 0 || item.memory > kSpaceCount) continue;
            BufferUse& use = uses[item.memory - 1u];
            used[item.memory - 1u] = true;
            use.top = std::max<uint64_t>(use.top, uint64_t{item.address} + item.bytes);
        }
    for (const Series& series : occupancy_series(recording, SIZE_MAX))
        for (unsigned space = 0; space < kSpaceCount; ++space) {
            BufferUse& use = uses[space];
            if (series.name != name(static_cast<Space>(space)) || series.highest() <= use.live)
                continue;
            use.live = series.highest();
            use.core = name(recording.cores[static_cast<size_t>(series.core)]);
        }
    std::vector<BufferUse> result;
    for (unsigned space = 0; space < kSpaceCount; ++space) {
        if (!used[space]) continue;
        uses[space].space = static_cast<Space>(space);
        uses[space].capacity = recording.facts.buffer_bytes[space];
        result.push_back(uses[space]);
    }
    return result;
}

// Time that the steps of the critical path spend on each thing that could be made free. The rest of
// the path remains, so no replay can save more.
struct PathTimes {
    using Unit = std::pair<CoreType, Pipe>;
    using Site = std::pair<uint64_t, Opcode>;  // by line and opcode
    std::map<Unit, Cycle> units;
    std::map<Site, Cycle> sites;
    std::map<Site, SourceLocation> where;
    Cycle scalar = 0, block = 0;

    PathTimes(const Recording& recording, const std::vector<Dependencies::Step>& path) {
        for (const Dependencies::Step& step : path) {
            const Cycle cycles = step.end - step.begin;
            if (step.spent == Spent::kScalar) scalar += cycles;
            if (step.spent == Spent::kBlock) block += cycles;
            if (step.instruction < 0) continue;
            if (step.spent != Spent::kWork && step.spent != Spent::kLatency) continue;
            const InstructionRecord& record =
                recording.instructions[static_cast<size_t>(step.instruction)];
            const Site site{key(record.location), record.opcode};
            units[{recording.cores[record.core].type, record.pipe}] += cycles;
            sites[site] += cycles;
            where[site] = record.location;
        }
    }
};

bool worthy(const Recording& recording, Cycle cycles) {
    return cycles > 0 && 100 * cycles >= kWorthyPercent * (recording.end - recording.begin);
}

// Savings to replay, each with its change.
struct Considered {
    std::vector<Saving> savings;
    std::vector<Dependencies::Change> changes;
};

Considered consider_savings(const Recording& recording, const std::vector<Dependencies::Step>& path,
                            size_t depth) {
    const Cycle whole = recording.end - recording.begin;
    Considered result;
    const auto consider = [&](std::string what, Dependencies::Change change, Cycle most,
                              std::string unit = {}) {
        if (!worthy(recording, most)) return;
        result.savings.push_back({std::move(what), 0, std::move(unit)});
        result.changes.push_back(std::move(change));
    };
    const PathTimes times(recording, path);
    for (const auto& [unit_of, cycles] : times.units) {
        const auto [type, pipe] = unit_of;
        Dependencies::Change change;
        change.without = [&recording, type = type, pipe = pipe](const InstructionRecord& r) {
            return r.pipe == pipe && recording.cores[r.core].type == type;
        };
        const std::string unit = std::string(name(pipe)) + " of all " + std::string(name(type));
        consider("if " + unit + " took no time", change, cycles, unit);
    }
    Dependencies::Change change;
    change.no_scalar = true;
    consider("if the scalar units issued at once", change, times.scalar);
    change = {};
    change.no_queue_limit = true;
    const bool was_full = std::any_of(
        recording.waits.begin(), recording.waits.end(),
        [](const WaitRecord& wait) { return wait.cause.reason == BlockReason::kQueueFull; });
    consider("if no queue were ever full", change, was_full ? whole : 0);
    change = {};
    change.no_block_gaps = true;
    consider("if blocks began, and issued, at once", change, times.block);
    std::vector<std::pair<Cycle, PathTimes::Site>> ranked;
    for (const auto& [site, cycles] : times.sites) ranked.emplace_back(cycles, site);
    std::sort(ranked.rbegin(), ranked.rend());
    for (size_t i = 0; i < std::min(depth, ranked.size()); ++i) {
        const auto site = ranked[i].second;
        Dependencies::Change one;
        one.without = [site](const InstructionRecord& r) {
            return r.opcode == site.second && key(r.location) == site.first;
        };
        const std::string at = recording.sources.text(times.where.at(site));
        consider("if " + issued_name(recording, times.where.at(site), site.second) +
                     (at.empty() ? "" : " at " + at) + " took no time",
                 one, ranked[i].first);
    }
    return result;
}

// `without`: how long the run takes under each change that was considered.
std::vector<Saving> savings(const Recording& recording, Considered considered,
                            const std::vector<Cycle>& without) {
    const Cycle whole = recording.end - recording.begin;
    std::vector<Saving> result;
    for (size_t i = 0; i < without.size(); ++i) {
        if (without[i] >= whole || !worthy(recording, whole - without[i])) continue;
        considered.savings[i].cycles = whole - without[i];
        result.push_back(std::move(considered.savings[i]));
    }
    std::stable_sort(result.begin(), result.end(),
                     [](const Saving& a, const Saving& b) { return a.cycles > b.cycles; });
    return result;
}

}  // namespace

std::string_view wait_kind(BlockReason reason) {
    switch (reason) {
        case BlockReason::kData:
        case BlockReason::kBarrier:
        case BlockReason::kInFlight:
            return "data";
        case BlockReason::kFlag:
        case BlockReason::kCrossCore:
            return "flag";
        case BlockReason::kQueueFull:
            return "queue full";
        default:
            return "other";
    }
}

std::string step_text(const Recording& recording, const Dependencies::Step& step) {
    if (step.instruction < 0) return std::string(name(step.spent));
    const InstructionRecord& record = recording.instructions[static_cast<size_t>(step.instruction)];
    const bool scalar = step.on_scalar();
    std::string text = name(recording.cores[record.core]) + "/" +
                       std::string(name(scalar ? Pipe::kS : record.pipe)) + " ";
    if (step.spent == Spent::kBlock) return text + "the block begins";
    if (step.spent != Spent::kWork) text += std::string(name(step.spent)) + " ";
    return text + located_name(recording, record);
}

namespace {

Dependencies dependencies_of(const Recording& recording) {
    constexpr size_t kMostWhatIf = 600'000;  // instructions: what conflicts takes memory
    return Dependencies(recording, recording.instructions.size() < kMostWhatIf);
}

}  // namespace

Advised advise(const Recording& recording, const Accounting& accounting, const TryChange& attempt) {
    const Dependencies dependencies = dependencies_of(recording);
    const std::vector<Dependencies::Step> path = dependencies.critical_path();
    std::vector<Cycle> none;
    return {time_basis(recording, path),
            advise(recording, accounting, dependencies, path, {}, none, attempt)};
}

Analysis analyse(const Recording& recording, size_t depth, const TryChange& attempt) {
    return analyse(recording, account(recording), depth, attempt);
}

Analysis analyse(const Recording& recording, Accounting accounting, size_t depth,
                 const TryChange& attempt) {
    Analysis result;
    result.accounting = std::move(accounting);
    const Dependencies dependencies = dependencies_of(recording);
    result.path = dependencies.critical_path();
    result.basis = time_basis(recording, result.path);
    Costs costs(recording);
    for (const Dependencies::Step& step : result.path) {
        costs.critical(step);
        const Cycle cycles = step.end - step.begin;
        result.path_spent[static_cast<size_t>(step.spent)] += cycles;
        if (step.instruction < 0) continue;
        const InstructionRecord& record =
            recording.instructions[static_cast<size_t>(step.instruction)];
        const Pipe pipe = step.on_scalar() ? Pipe::kS : record.pipe;
        result.path_lanes[name(recording.cores[record.core]) + "/" + std::string(name(pipe))] +=
            cycles;
    }
    result.lines = costs.lines();
    result.opcodes = costs.opcodes();
    result.calls = costs.calls();
    result.roofline = roofline(recording, result.traffic);
    result.buffers = buffer_uses(recording);
    Considered considered;
    if (!recording.ended_early && !recording.program)
        considered = consider_savings(recording, result.path, depth);
    std::vector<Cycle> without;
    result.advice = advise(recording, result.accounting, dependencies, result.path,
                           considered.changes, without, attempt);
    result.savings = savings(recording, std::move(considered), without);
    result.bottleneck = bottleneck_text(result.accounting, result.advice);
    return result;
}

}  // namespace ptosim
