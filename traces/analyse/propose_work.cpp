// Advice about work: transfers that use memory badly, operands that meet in banks, pipes that have
// too much to do, and what surrounds the work.
#include <algorithm>
#include <map>

#include "isa/table/instruction_table.h"
#include "traces/analyse/labels.h"
#include "traces/analyse/proposals.h"

namespace ptosim {

namespace {

constexpr uint32_t kLongRow = 512;                        // bytes; a window of L2
constexpr uint64_t kRepeat = 256;                         // bytes of a vector unit's step
constexpr uint64_t kSmallTile = 2048, kLargeTile = 4096;  // bytes of a load
constexpr uint64_t kFewLoads = 8;                         // of a core

// Time that the instructions of a site took, and would take at best.
struct Cost {
    Cycle work = 0;
    double short_rows = 0;        // cycles less if rows were long
    double unaligned = 0;         // if they began where a sector of L2 does
    double again = 0, first = 0;  // if L2 had kept what is read again; had held the rest
    double banks = 0;             // if operands did not meet
    uint32_t row = UINT32_MAX;    // bytes of the shortest row
    uint64_t least_bytes = 0;     // of L2, if all rows began at sectors
    uint64_t hit_bytes = 0, miss_bytes = 0, again_bytes = 0, times = 0;
};

const OperandSet::Item* global_of(const OperandSet& set) {
    for (const OperandSet::Item& item : set.items)
        if (item.memory == OperandSet::kGlobalMemory) return &item;
    return nullptr;
}

class CallCosts {
 public:
    explicit CallCosts(const Findings& f) : f_{f}, r_{f.recording} {
        for (const InstructionRecord& record : r_.instructions) {
            if (!record.has(InstructionRecord::kCompleted) || record.has(InstructionRecord::kSync))
                continue;
            const OperandSet& set = r_.operands_of(record);
            const bool transfer = record.l2_hit_bytes + record.l2_miss_bytes > 0;
            if (!transfer && set.items[0].banks == 0) continue;
            Cost& cost = costs_[site_of(r_, record)];
            cost.work += record.pipe_free - record.started;
            ++cost.times;
            if (transfer)
                add_transfer(record, set, cost);
            else
                add_conflict(record, set, cost);
        }
    }
    const std::map<CodeSite, Cost>& sites() const { return costs_.map(); }

 private:
    void add_transfer(const InstructionRecord& record, const OperandSet& set, Cost& cost) {
        const OperandSet::Item* view = global_of(set);
        const uint64_t bytes = moved_bytes(r_, record);
        cost.hit_bytes += record.l2_hit_bytes;
        cost.miss_bytes += record.l2_miss_bytes;
        cost.again_bytes += record.l2_again_bytes();
        if (view == nullptr || bytes == 0) return;
        const bool writes = (view->roles & OperandSet::kWritten) != 0;
        const size_t cores = f_.cores(r_.cores[record.core].type);
        const double missing = Findings::missing(record);
        const double at_best = f_.at_best(record, cores, missing);
        if (at_best == 0) return;
        const auto work = static_cast<double>(record.pipe_free - record.started);
        if (view->bytes > 0) cost.row = std::min(cost.row, view->bytes);
        if (view->bytes > 0 && view->bytes < kLongRow && bytes > view->bytes)
            cost.short_rows += std::max(0.0, work - at_best);
        else
            add_sectors(*view, bytes, record, cost);
        if (writes || missing == 0) return;
        // First misses cost the rest that remains when nothing misses again.
        const double again = Findings::part(record, record.l2_again_bytes());
        const double once = f_.at_best(record, cores, missing - again);
        const double held = f_.at_best(record, cores, 0);
        cost.again += std::max(0.0, std::min(work, at_best) - once);
        cost.first += std::max(0.0, std::min(work, once) - held);
    }
    // Long rows take as long as the sectors that they touch.
    static void add_sectors(const OperandSet::Item& view, uint64_t bytes,
                            const InstructionRecord& record, Cost& cost) {
        constexpr uint64_t kSector = InstructionRecord::kSectorBytes;
        const uint64_t row = view.bytes == 0 ? bytes : view.bytes;
        const uint64_t least = bytes / row * ((row + kSector - 1) / kSector) * kSector;
        const uint64_t touched = uint64_t{record.l2_hit_bytes} + record.l2_miss_bytes;
        cost.least_bytes += std::min(least, touched);
        if (touched <= least) return;
        const auto work = static_cast<double>(record.pipe_free - record.started);
        cost.unaligned +=
            work * static_cast<double>(touched - least) / static_cast<double>(touched);
    }
    void add_conflict(const InstructionRecord& record, const OperandSet& set, Cost& cost) {
        const OperandSet::Item& to = set.items[0];
        const uint64_t bytes = uint64_t{to.rows} * to.cols * bits(static_cast<DType>(to.dtype)) / 8;
        const uint64_t repeats = (bytes + kRepeat - 1) / kRepeat;
        const uint64_t wait =
            ((to.banks & OperandSet::kReadsMeet) != 0 ? r_.facts.bank_read_conflict : 0) +
            ((to.banks & OperandSet::kWriteMeets) != 0 ? r_.facts.bank_write_conflict : 0);
        const Cycle work = record.pipe_free - record.started;
        // A function that takes longer than the conflict hides it.
        if (1000 * work >= 2 * repeats * (1000 + wait) && repeats > 64) return;
        cost.banks += static_cast<double>(repeats * wait) / 1000;
    }

    const Findings& f_;
    const Recording& r_;
    BySite<Cost> costs_;
};

unsigned share_left(const Cost& cost, double less) {
    const auto work = static_cast<double>(std::max<Cycle>(1, cost.work));
    return static_cast<unsigned>(
        std::clamp(kWholeShare * (1 - less / work), 0.0, double{kWholeShare}));
}

// " (192 MiB)", if that is known.
std::string l2_text(const Findings& f) {
    constexpr uint64_t kMiB = 1 << 20;
    const uint64_t bytes = f.recording.facts.l2_bytes;
    return bytes == 0 ? "" : " (" + decimal_text(bytes, kMiB, bytes % kMiB == 0 ? 0 : 1) + " MiB)";
}

// One piece of advice for all sites that lose something in one way; the line that loses most.
void propose_less(const Findings& f, const CallCosts& costs, AdviceKind kind, double Cost::*less,
                  Proposals& to) {
    std::map<CodeSite, unsigned> shares;
    const Cost* worst = nullptr;
    CodeSite at;
    for (const auto& [site, cost] : costs.sites()) {
        if (cost.*less <= 0) continue;
        shares[site] = share_left(cost, cost.*less);
        if (worst != nullptr && worst->*less >= cost.*less) continue;
        worst = &cost;
        at = site;
    }
    if (worst == nullptr) return;
    Advice advice;
    advice.kind = kind;
    advice.at = at.at;
    const std::string opcode = issued_name(f.recording, at.at, at.opcode);
    const auto share = [&](uint64_t bytes) {
        return decimal_text(100 * bytes, worst->hit_bytes + worst->miss_bytes, 0) +
               " % of the bytes of " + opcode;
    };
    switch (kind) {
        case AdviceKind::kBursts:
            advice.what =
                phrase(Phrase::kLongerRows, f.library, {{"call", f.copy(at.at, at.opcode)}}) +
                ": " + opcode + " moves rows of " + std::to_string(worst->row) + " bytes";
            advice.why = "Rows of at least " + std::to_string(kLongRow) +
                         " bytes move at the full rate of the core and memory.";
            break;
        case AdviceKind::kAlignment:
            advice.what = phrase(Phrase::kAlignedRows, f.library) + ": those of " + opcode +
                          " are not aligned";
            advice.why = "They touch " +
                         decimal_text(100 * (worst->hit_bytes + worst->miss_bytes),
                                      std::max<uint64_t>(1, worst->least_bytes), 0) +
                         " % of the L2 sectors that their bytes need.";
            break;
        case AdviceKind::kCache:
            advice.what = "Reorder the tiles so that L2 keeps them: " + share(worst->again_bytes) +
                          " are read from HBM again";
            advice.why =
                "Between the two reads, more data passes through L2" + l2_text(f) +
                " than it can hold. Let all cores work on tiles that share rows or columns, "
                "or read again sooner.";
            break;
        case AdviceKind::kFirst:
            advice.what = "Prefetch into L2: " + share(worst->miss_bytes - worst->again_bytes) +
                          " come from HBM on their first read";
            advice.why =
                "A prefetch hides the extra time of HBM while HBM has bandwidth left; only fewer "
                "bytes "
                "reduce its load.";
            break;
        default:
            advice.what =
                "Move one operand of " + opcode + " by 256 bytes: the operands share a bank of UB";
            advice.why = "Each 32 bytes of UB belong to bank group address / 32 mod 16.";
    }
    if (shares.size() > 1)
        advice.why += " This is the worst of " + std::to_string(shares.size()) + " such lines.";
    Proposal proposal;
    proposal.advice = std::move(advice);
    proposal.change = lighter(f.recording, std::move(shares));
    proposal.bytes = kind == AdviceKind::kCache ? Proposal::Bytes::kOnce
                     : kind == AdviceKind::kBursts || kind == AdviceKind::kAlignment
                         ? Proposal::Bytes::kFewer
                         : Proposal::Bytes::kAll;
    to.push_back(std::move(proposal));
}

// If a vector kernel loads little at a time, the cost of an iteration hardly depends on the amount:
// larger tiles need fewer iterations.
void propose_tiles(const Findings& f, Proposals& to) {
    constexpr CoreType kVector = CoreType::kAIV;
    const Recording& r = f.recording;
    const size_t cores = f.cores(kVector);
    if (f.main_type() != kVector || cores == 0) return;
    struct Loads {
        uint64_t bytes = 0, times = 0;
        Cycle work = 0;
    };
    BySite<Loads> loads;
    Loads all;
    double of_bytes = 0;  // cycles that the bytes alone take, all pipes of all cores
    Cycle begins = r.end;
    for (const InstructionRecord& record : r.instructions) {
        if (!record.has(InstructionRecord::kCompleted) || record.has(InstructionRecord::kSync))
            continue;
        begins = std::min(begins, record.started);
        if (record.pipe == Pipe::kV) {
            const OperandSet::Item& out = r.operands_of(record).items[0];
            const uint64_t bits_of_it =
                uint64_t{out.rows} * out.cols * bits(static_cast<DType>(out.dtype));
            of_bytes += static_cast<double>(bits_of_it) / 8 / kRepeat;
        } else if (record.l2_hit_bytes + record.l2_miss_bytes > 0) {
            of_bytes += f.at_best(record, cores, Findings::missing(record));
            if (record.pipe != Pipe::kMTE2) continue;
            for (Loads* of : {&all, &loads[site_of(r, record)]}) {
                of->bytes += moved_bytes(r, record);
                of->work += record.completed - record.started;
                ++of->times;
            }
        }
    }
    if (all.times < kFewLoads * cores || all.bytes >= kSmallTile * all.times) return;
    const auto most = std::max_element(
        loads.map().begin(), loads.map().end(),
        [](const auto& a, const auto& b) { return a.second.work < b.second.work; });
    const uint64_t bytes = std::max<uint64_t>(1, most->second.bytes / most->second.times);
    // Limited by kLargeTile, or by the data that a core loads there.
    const uint64_t larger = std::min(kLargeTile / bytes, most->second.times / cores);
    if (larger < 2) return;
    const double whole = static_cast<double>(r.end - begins) * static_cast<double>(cores);
    const double fixed = std::clamp(1 - of_bytes / whole, 0.0, 1.0);
    Proposal proposal;
    proposal.advice.kind = AdviceKind::kTiles;
    proposal.advice.at = most->first.at;
    proposal.advice.what = phrase(Phrase::kLargerTiles, f.library,
                                  {{"call", f.copy(most->first.at, most->first.opcode)}}) +
                           ": " + issued_name(r, most->first.at, most->first.opcode) + " moves " +
                           std::to_string(bytes) + " bytes at a time";
    proposal.advice.why =
        decimal_text(static_cast<uint64_t>(1000 * fixed), 10, 0) +
        " % of the time is a fixed cost of each iteration. The estimate assumes tiles " +
        std::to_string(larger) + " times as large.";
    proposal.change.emplace();
    proposal.begins = begins - r.begin;
    proposal.shrinks = 1 - fixed * (1 - 1 / static_cast<double>(larger));
    to.push_back(std::move(proposal));
}

// Cycles of the critical path by the unit that works, and by site.
struct PathWork {
    std::map<std::pair<CoreType, Pipe>, Cycle> pipes;
    std::map<std::pair<CoreType, Pipe>, Cycle> latencies;  // part of `pipes`
    std::map<std::pair<CoreType, Pipe>, uint64_t> waits;   // number of these latencies
    std::map<std::pair<CoreType, Pipe>, BySite<Cycle>> sites;
    Cycle scalar = 0, block = 0;
    BySite<Cycle> issued;

    explicit PathWork(const Findings& f) {
        for (const Dependencies::Step& step : f.path) {
            const Cycle cycles = step.end - step.begin;
            if (step.spent == Spent::kBlock) block += cycles;
            if (step.spent == Spent::kScalar) scalar += cycles;
            if (step.instruction < 0) continue;
            const InstructionRecord& record =
                f.recording.instructions[static_cast<size_t>(step.instruction)];
            const CodeSite site = site_of(f.recording, record);
            if (step.spent == Spent::kScalar) issued[site] += cycles;
            if (step.spent != Spent::kWork && step.spent != Spent::kLatency) continue;
            pipes[{site.type, record.pipe}] += cycles;
            if (step.spent == Spent::kLatency) {
                latencies[{site.type, record.pipe}] += cycles;
                ++waits[{site.type, record.pipe}];
            }
            sites[{site.type, record.pipe}][site] += cycles;
        }
    }
};

// The parts of the critical path that take most: "TLOAD at k.pto:12 (latency, 4000 cycles)".
std::string chain_text(const Findings& f) {
    constexpr size_t kMost = 4;
    std::map<std::string, Cycle> parts;
    for (const Dependencies::Step& step : f.path) {
        if (step.instruction < 0 || step.on_scalar()) continue;
        const InstructionRecord& record =
            f.recording.instructions[static_cast<size_t>(step.instruction)];
        parts[issued_name(f.recording, record) + " at " +
              f.recording.sources.text(record.location) + " (" + std::string(name(step.spent)) +
              ", "] += step.end - step.begin;
    }
    std::vector<std::pair<std::string, Cycle>> sorted(parts.begin(), parts.end());
    std::stable_sort(sorted.begin(), sorted.end(),
                     [](const auto& a, const auto& b) { return a.second > b.second; });
    std::string text;
    for (size_t i = 0; i < std::min(kMost, sorted.size()); ++i)
        text +=
            (i == 0 ? "" : ", ") + sorted[i].first + std::to_string(sorted[i].second) + " cycles)";
    return text;
}

const CodeSite& most_of(const std::map<CodeSite, Cycle>& sites) {
    return std::max_element(sites.begin(), sites.end(),
                            [](const auto& a, const auto& b) { return a.second < b.second; })
        ->first;
}

}  // namespace

Dependencies::Change lighter(const Recording& recording, std::map<CodeSite, unsigned> shares) {
    Dependencies::Change change;
    change.keeps = [&recording, shares = std::move(shares)](const InstructionRecord& record) {
        const auto found = shares.find(site_of(recording, record));
        return found == shares.end() ? kWholeShare : found->second;
    };
    return change;
}

void propose_transfers(const Findings& f, Proposals& to) {
    const CallCosts costs(f);
    propose_less(f, costs, AdviceKind::kBursts, &Cost::short_rows, to);
    propose_tiles(f, to);
    propose_less(f, costs, AdviceKind::kAlignment, &Cost::unaligned, to);
    propose_less(f, costs, AdviceKind::kCache, &Cost::again, to);
    propose_less(f, costs, AdviceKind::kFirst, &Cost::first, to);
    propose_less(f, costs, AdviceKind::kBanks, &Cost::banks, to);
}

void propose_work(const Findings& f, Proposals& to) {
    const PathWork work(f);
    const auto add = [&](AdviceKind kind, std::string what, SourceLocation at, std::string why,
                         Dependencies::Change change,
                         Proposal::Bytes bytes = Proposal::Bytes::kAll) {
        Advice advice;
        advice.kind = kind;
        advice.what = std::move(what);
        advice.why = std::move(why);
        advice.at = at;
        Proposal proposal;
        proposal.advice = std::move(advice);
        proposal.change = std::move(change);
        proposal.bytes = bytes;
        to.push_back(std::move(proposal));
    };
    for (const auto& [unit, cycles] : work.pipes) {
        if (cycles < f.worthy()) continue;
        const auto [type, pipe] = unit;
        const auto& sites = work.sites.at(unit).map();
        const CodeSite& most = most_of(sites);
        const Cycle of_most = sites.at(most);
        Dependencies::Change change;
        change.keeps = [&f, type = type, pipe = pipe](const InstructionRecord& record) {
            return record.pipe == pipe && f.recording.cores[record.core].type == type
                       ? kWholeShare / 2
                       : kWholeShare;
        };
        const auto latency = work.latencies.find(unit);
        if (latency != work.latencies.end() && 2 * latency->second > cycles) {
            const uint64_t count = work.waits.at(unit);
            add(AdviceKind::kLatency,
                "Shorten the chain of dependent steps: " +
                    issued_name(f.recording, most.at, most.opcode) + " on " +
                    std::string(name(pipe)) + " of " + std::string(name(type)) +
                    " is awaited; its results arrive " + std::to_string(latency->second / count) +
                    " cycles after its work" +
                    (count == 1 ? "" : ", " + std::to_string(count) + " times in a row"),
                most.at,
                "Latency takes " + std::to_string(latency->second) +
                    " cycles of the critical path, and the work of " + std::string(name(pipe)) +
                    " " + std::to_string(cycles - latency->second) +
                    ". It shrinks if transfers start earlier (one more slot), if fewer of them are "
                    "larger, or if more "
                    "blocks share them. The chain: " +
                    chain_text(f) + ".",
                std::move(change), Proposal::Bytes::kFewer);
            continue;
        }
        add(AdviceKind::kWork,
            phrase(type == CoreType::kAIC ? Phrase::kLessCubeWork : Phrase::kLessWork, f.library,
                   {{"pipe", std::string(name(pipe))}, {"core", std::string(name(type))}}) +
                ": " + issued_name(f.recording, most.at, most.opcode) +
                (2 * of_most > cycles
                     ? " takes most of it"
                     : " takes the largest part, " + decimal_text(100 * of_most, cycles, 0) + " %"),
            most.at,
            std::string(name(pipe)) + " takes " + std::to_string(cycles) +
                " cycles of the critical path.",
            std::move(change),
            pipe == Pipe::kM || pipe == Pipe::kV || pipe == Pipe::kMTE1 ? Proposal::Bytes::kAll
                                                                        : Proposal::Bytes::kFewer);
    }
    if (work.scalar >= f.worthy() && !work.issued.map().empty()) {
        Dependencies::Change change;
        change.half_scalar = true;
        add(AdviceKind::kIssue, phrase(Phrase::kFewerScalars, f.library),
            most_of(work.issued.map()).at,
            "The scalar unit takes " + std::to_string(work.scalar) +
                " cycles of the critical path.",
            std::move(change));
    }
    const bool full = std::any_of(
        f.recording.waits.begin(), f.recording.waits.end(),
        [](const WaitRecord& wait) { return wait.cause.reason == BlockReason::kQueueFull; });
    if (full) {
        Dependencies::Change change;
        change.no_queue_limit = true;
        add(AdviceKind::kQueue, "Issue in another order: a pipe's queue is full", {},
            "While the queue of a pipe is full, the scalar unit cannot issue to other pipes.",
            std::move(change));
    }
    // A launch's own begin cannot be saved.
    if (f.recording.runs.size() > f.recording.cores.size()) {
        Dependencies::Change change;
        change.no_block_gaps = true;
        add(AdviceKind::kLaunch,
            "Use fewer, larger blocks: starting them takes " + std::to_string(work.block) +
                " cycles of the critical path",
            {}, "This is the time between blocks and until a block issues.", std::move(change));
        const bool cube = f.main_type() == CoreType::kAIC;
        const uint64_t all = cube ? f.recording.facts.aics : f.recording.facts.aivs;
        if (f.recording.launches.size() == 1 && f.recording.launches.front().blocks > all &&
            all > 0)
            to.back().trials.push_back({static_cast<uint32_t>(all), {}});
    }
}

}  // namespace ptosim
