// Advice about cores: idle cores, and cores that have more to do than others.
#include <algorithm>
#include <map>

#include "isa/table/instruction_table.h"
#include "traces/analyse/loops.h"
#include "traces/analyse/proposals.h"

namespace ptosim {

namespace {

std::string count_text(uint64_t count, std::string_view what) {
    return std::to_string(count) + " " + std::string(what) + (count == 1 ? "" : "s");
}

// The first line that asks for the block's index or for the number of blocks.
SourceLocation block_line(const Recording& recording) {
    static constexpr std::string_view kAsks[] = {"get_block_idx", "get_block_num", "block_idx",
                                                 "block_num",     "BlockIdx",      "BlockNum"};
    for (const std::string_view word : kAsks)
        for (size_t file = 0; file < recording.sources.size(); ++file) {
            const std::string text = recording.sources.file(file).text;
            for (size_t at = text.find(word); at != std::string::npos;
                 at = text.find(word, at + 1)) {
                const size_t begin = at == 0 ? 0 : text.rfind('\n', at - 1) + 1;
                const std::string_view before(text.data() + begin, at - begin);
                if (before.find("//") != std::string_view::npos) continue;  // a comment
                const auto line =
                    1 + std::count(text.begin(), text.begin() + static_cast<ptrdiff_t>(at), '\n');
                return {static_cast<uint16_t>(file), 0, static_cast<uint32_t>(line)};
            }
        }
    return {};
}

// Tiles of results that the clusters (of a vector kernel, the cores) store to global memory and
// could share. A line that stores more often than another one hands something over or stores parts,
// so only the lines that store least often count, together if they are as often (an unrolled loop).
uint64_t tiles_of_results(const Findings& f) {
    BySite<uint64_t> stores;
    for (const InstructionRecord& r : f.recording.instructions)
        if (r.has(InstructionRecord::kCompleted) && info(r.opcode).timing == TimingClass::kStore)
            ++stores[site_of(f.recording, r)];
    const uint64_t used = std::max<uint64_t>(1, f.cores(f.main_type()));
    std::map<uint64_t, uint64_t> by_count;
    for (const auto& [site, count] : stores.map()) {
        // The AIVs of a cluster store parts of one tile.
        const uint64_t per_cluster = std::max<uint64_t>(1, f.cores(site.type) / used);
        by_count[count / per_cluster] += count / per_cluster;
    }
    return by_count.empty() ? 0 : by_count.begin()->second;
}

// Transfers take no less than where more cores share L2 and HBM.
Dependencies::Change shared_by(const Findings& f, CoreType type, uint64_t used, uint64_t could) {
    BySite<std::pair<double, double>> times;  // now, and then
    for (const InstructionRecord& record : f.recording.instructions) {
        if (record.l2_hit_bytes + record.l2_miss_bytes == 0) continue;
        const CodeSite site = site_of(f.recording, record);
        const size_t cores = f.cores(site.type);
        const size_t then = site.type == type ? could : cores * could / used;
        auto& [now, shared] = times[site];
        now += static_cast<double>(record.pipe_free - record.started);
        shared += f.at_best(record, then, Findings::missing(record));
    }
    Dependencies::Change change;
    change.keeps = [&recording = f.recording,
                    times = times.map()](const InstructionRecord& record) -> unsigned {
        const auto found = times.find(site_of(recording, record));
        if (found == times.end() || found->second.first == 0) return 256;
        return static_cast<unsigned>(
            std::clamp(256 * found->second.second / found->second.first, 256.0, 4096.0));
    };
    return change;
}

void propose_blocks(const Findings& f, Proposals& to) {
    const CoreType type = f.main_type();
    const uint64_t used = f.cores(type);
    const uint64_t all = type == CoreType::kAIC ? f.recording.facts.aics : f.recording.facts.aivs;
    if (used == 0 || used >= all || f.recording.launches.size() != 1) return;
    const uint64_t tiles = tiles_of_results(f);
    const uint64_t could = std::min(all, std::max(used, tiles));
    if (could <= used) return;
    // A core's first tile has to come before it can compute.
    Cycle begins = f.recording.end;
    for (const InstructionRecord& record : f.recording.instructions)
        if ((record.pipe == Pipe::kM || record.pipe == Pipe::kV) &&
            !record.has(InstructionRecord::kSync))
            begins = std::min(begins, record.started);
    const auto share = [tiles](uint64_t cores) {
        return static_cast<double>((tiles + cores - 1) / cores);
    };
    Advice advice;
    advice.kind = AdviceKind::kBlocks;
    advice.what = phrase(Phrase::kMoreBlocks, f.library) + ": " + std::to_string(used) + " of " +
                  count_text(all, name(type)) + (used == 1 ? " is" : " are") + " used";
    advice.why = "The result has " + count_text(tiles, "tile") + ", enough for " +
                 count_text(could, name(type)) + ".";
    advice.at = block_line(f.recording);
    Proposal proposal;
    proposal.advice = std::move(advice);
    proposal.change = shared_by(f, type, used, could);
    proposal.begins = begins - f.recording.begin;
    proposal.shrinks = share(could) / share(used);
    // A multiple of the blocks divides the work as evenly as they do.
    const uint64_t blocks = f.recording.launches.front().blocks;
    for (uint64_t more = 2; more * used <= could; more *= 2)
        proposal.trials.push_back({static_cast<uint32_t>(more * blocks), {}});
    // Another number may not divide the data: then the kernel is wrong, which a run of times does
    // not show.
    if (proposal.trials.empty())
        proposal.trials.push_back({static_cast<uint32_t>(blocks * could / used), {}});
    to.push_back(std::move(proposal));
}

// The line of which the last core has most more than the mean: of the outermost loop around it.
SourceLocation uneven_line(const Recording& recording, uint16_t last, CoreType type,
                           uint64_t cores) {
    struct Of {
        SourceLocation at;
        Cycle here = 0, all = 0;
    };
    std::map<std::pair<uint16_t, uint32_t>, Of> lines;
    for (const InstructionRecord& record : recording.instructions) {
        if (recording.cores[record.core].type != type || record.location.line == 0) continue;
        Of& of = lines[{record.location.file, record.location.line}];
        of.at = record.location;
        const Cycle work = record.pipe_free - record.started;
        of.all += work;
        if (record.core == last) of.here += work;
    }
    SourceLocation worst;
    Cycle most = 0;
    for (const auto& [key, of] : lines) {
        const Cycle mean = of.all / std::max<uint64_t>(1, cores);
        if (of.here <= mean + most) continue;
        most = of.here - mean;
        worst = of.at;
    }
    if (worst.line == 0) return worst;
    const std::vector<LoopRegion> loops = find_loops(recording.sources.file(worst.file).text);
    for (const LoopRegion& loop : loops)
        if (loop.parent < 0 && loop.first <= worst.line && worst.line <= loop.last)
            return {worst.file, 0, loop.first};
    return worst;
}

void propose_even(const Findings& f, Proposals& to) {
    const CoreType type = f.main_type();
    uint64_t cores = 0, sum = 0;
    const CoreAccount* latest = nullptr;
    for (const CoreAccount& core : f.accounting.cores) {
        if (core.core.type != type || core.blocks == 0) continue;
        ++cores;
        sum += core.finished - f.recording.begin;
        if (latest == nullptr || core.finished > latest->finished) latest = &core;
    }
    if (cores < 2) return;
    const Cycle mean = sum / cores;
    Advice advice;
    advice.kind = AdviceKind::kUneven;
    advice.saving = latest->finished - f.recording.begin - mean;
    if (advice.saving < f.worthy()) return;
    const auto last = static_cast<uint16_t>(
        std::find(f.recording.cores.begin(), f.recording.cores.end(), latest->core) -
        f.recording.cores.begin());
    advice.what = "Balance the work: " + name(latest->core) + " ends at cycle " +
                  std::to_string(latest->finished - f.recording.begin) + ", the " +
                  count_text(cores, name(type)) + " at " + std::to_string(mean) + " on average";
    uint64_t least = UINT64_MAX, most = 0;
    for (const CoreAccount& core : f.accounting.cores) {
        if (core.core.type != type || core.blocks == 0) continue;
        least = std::min(least, core.blocks);
        most = std::max(most, core.blocks);
    }
    advice.why =
        least == most
            ? "All cores run the same number of blocks, but the blocks differ in length."
            : "Cores run " + std::to_string(least) + " to " + count_text(most, "block") + ".";
    advice.at = uneven_line(f.recording, last, type, cores);
    Proposal proposal;
    proposal.advice = std::move(advice);
    to.push_back(std::move(proposal));
}

}  // namespace

void propose_cores(const Findings& f, Proposals& to) {
    propose_blocks(f, to);
    propose_even(f, to);
}

}  // namespace ptosim
