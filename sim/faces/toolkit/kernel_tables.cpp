#include "sim/faces/toolkit/kernel_tables.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <map>
#include <optional>
#include <vector>

#include "sim/files/files.h"
#include "sim/files/fixed.h"
#include "sim/machine/model/chip_model.h"
#include "sim/session/options.h"

namespace ptosim::toolkit {
namespace {

std::string decimal(double value) { return fixed(value, 6); }

// Activity of a core for one block.
struct BlockUse {
    const RunRecord* run = nullptr;
    std::array<std::vector<std::pair<Cycle, Cycle>>, kPipeCount> busy;
    uint64_t hit_bytes = 0, miss_bytes = 0;

    // Cycles in which the pipe was held.
    Cycle busy_cycles(Pipe pipe) const {
        std::vector<std::pair<Cycle, Cycle>> spans = busy[static_cast<size_t>(pipe)];
        std::sort(spans.begin(), spans.end());
        Cycle sum = 0, reached = 0;
        for (const auto& [begin, end] : spans) {
            const Cycle from = std::max(begin, reached);
            if (end > from) sum += end - from;
            reached = std::max(reached, end);
        }
        return sum;
    }
};

std::vector<BlockUse> uses_of(const Recording& recording) {
    std::vector<BlockUse> uses;
    std::map<uint16_t, std::vector<size_t>> of_core;
    for (const RunRecord& run : recording.runs) {
        of_core[run.core].push_back(uses.size());
        uses.emplace_back().run = &run;
    }
    for (const InstructionRecord& i : recording.instructions)
        for (const size_t number : of_core[i.core]) {
            BlockUse& use = uses[number];
            if (i.issued < use.run->begin || i.issued > use.run->end) continue;
            if (i.has(InstructionRecord::kStarted) && !i.has(InstructionRecord::kSync))
                use.busy[static_cast<size_t>(i.pipe)].emplace_back(i.started, i.pipe_free);
            use.hit_bytes += i.l2_hit_bytes;
            use.miss_bytes += i.l2_miss_bytes;
            break;
        }
    std::stable_sort(uses.begin(), uses.end(), [](const BlockUse& a, const BlockUse& b) {
        return a.run->identity.block < b.run->identity.block;
    });
    return uses;
}

bool is_cube(const BlockUse& use) { return use.run->identity.core == CoreType::kAIC; }

// The core within the block: "cube0", "vector1".
std::string sub_block(const BlockUse& use) {
    return is_cube(use) ? "cube0" : "vector" + std::to_string(use.run->identity.subblock);
}

struct PipeColumn {
    CoreType core;
    Pipe pipe;
    const char* name;
};
constexpr PipeColumn kPipeColumns[] = {
    {CoreType::kAIC, Pipe::kM, "aic_cube"},      {CoreType::kAIC, Pipe::kMTE1, "aic_mte1"},
    {CoreType::kAIC, Pipe::kMTE2, "aic_mte2"},   {CoreType::kAIC, Pipe::kMTE3, "aic_mte3"},
    {CoreType::kAIC, Pipe::kFIX, "aic_fixpipe"}, {CoreType::kAIV, Pipe::kV, "aiv_vec"},
    {CoreType::kAIV, Pipe::kMTE2, "aiv_mte2"},   {CoreType::kAIV, Pipe::kMTE3, "aiv_mte3"},
};

std::string pipe_table(const Recording& recording, const std::vector<BlockUse>& uses) {
    const double clock = static_cast<double>(recording.clock_hz()) / 1e6;
    std::string text =
        "block_id,sub_block_id,aic_time(us),aic_total_cycles,aiv_time(us),"
        "aiv_total_cycles";
    for (const PipeColumn& column : kPipeColumns)
        text += std::string(",") + column.name + "_time(us)," + column.name + "_ratio";
    text += "\n";
    for (const BlockUse& use : uses) {
        const Cycle cycles = use.run->end - use.run->begin;
        const std::string own =
            decimal(static_cast<double>(cycles) / clock) + "," + std::to_string(cycles);
        text += std::to_string(use.run->identity.block) + "," + sub_block(use) + "," +
                (is_cube(use) ? own + ",NA,NA" : "NA,NA," + own);
        for (const PipeColumn& column : kPipeColumns) {
            if (column.core != use.run->identity.core) {
                text += ",NA,NA";
                continue;
            }
            const auto busy = static_cast<double>(use.busy_cycles(column.pipe));
            text += "," + decimal(busy / clock) + "," +
                    decimal(cycles == 0 ? 0 : busy / static_cast<double>(cycles));
        }
        text += "\n";
    }
    return text;
}

std::string l2_table(const std::vector<BlockUse>& uses) {
    std::string text = "block_id,sub_block_id,aic_total_hit_rate(%),aiv_total_hit_rate(%)\n";
    for (const BlockUse& use : uses) {
        const uint64_t bytes = use.hit_bytes + use.miss_bytes;
        const std::string rate =
            bytes == 0
                ? "NA"
                : decimal(100.0 * static_cast<double>(use.hit_bytes) / static_cast<double>(bytes));
        text += std::to_string(use.run->identity.block) + "," + sub_block(use) + "," +
                (is_cube(use) ? rate + ",NA" : "NA," + rate) + "\n";
    }
    return text;
}

// Thousandths of cycles from a launch to its first block, which recordings lack. `chosen` and the environment belong to
// the run; for an earlier run, to the request for its tables.
std::optional<uint64_t> launch_overhead(const LaunchRecord& launch, const std::string& chosen) {
    const SessionOptions options = options_from_environment();
    // Without the changes of --set, which ChipModel::name_with_overrides() appends.
    const std::string recorded = launch.chip.substr(0, launch.chip.find(" with "));
    const std::string& name = !chosen.empty()         ? chosen
                              : !options.chip.empty() ? options.chip
                                                      : recorded;
    const std::vector<std::string> names = chip_names();
    const bool is_ours = std::find(names.begin(), names.end(), recorded) != names.end();
    if (name != recorded || is_ours) {
        const ChipModel chip = load_chip(name, options.overrides);
        if (chip.name == recorded) return static_cast<uint64_t>(chip.launch.overhead);
    }
    if (!is_ours) return std::nullopt;
    return static_cast<uint64_t>(load_chip(recorded, {}).launch.overhead);
}

// As on the device, a task includes its launch.
std::string task_duration(const LaunchRecord& launch, const std::string& chosen) {
    const std::optional<uint64_t> overhead = launch_overhead(launch, chosen);
    if (!overhead) return "NA";
    const double clock = static_cast<double>(launch.clock_hz) / 1e6;
    return decimal(
        (static_cast<double>(launch.end - launch.begin) + static_cast<double>(*overhead) / 1000) /
        clock);
}

std::string basic_table(const Recording& recording, const std::string& chip,
                        const std::vector<BlockUse>& uses) {
    const LaunchRecord& launch = recording.launches.front();
    const bool cubes = std::any_of(uses.begin(), uses.end(), &is_cube);
    const bool vectors = !std::all_of(uses.begin(), uses.end(), &is_cube);
    const bool mix = cubes && vectors;
    const std::string frequency = std::to_string(launch.clock_hz / 1'000'000);
    return "Op Name,Op Type,Task Duration(us),Block Dim,Mix Block Dim,Device Id,Pid,"
           "Current Freq,Rated Freq\n" +
           launch.kernel + "," +
           (mix     ? "mix"
            : cubes ? "cube"
                    : "vector") +
           "," + task_duration(launch, chip) + "," + std::to_string(launch.blocks) + "," +
           (mix ? std::to_string(2 * launch.blocks) : "NA") + ",0,NA," + frequency + "," +
           frequency + "\n";
}

}  // namespace

Recording part_of(const Recording& recording, size_t launch) {
    const LaunchRecord& chosen = recording.launches.at(launch);
    Recording part;
    part.cores = recording.cores;
    part.sources = recording.sources;
    part.launches = {chosen};
    part.operands = recording.operands;
    part.costs = recording.costs;
    part.diagnostics = recording.diagnostics;
    part.outputs = recording.outputs;
    part.assumed = recording.assumed;
    part.facts = recording.facts;
    part.gaps = recording.gaps;
    part.begin = chosen.begin;
    part.end = chosen.end;
    part.ended_early = recording.ended_early;
    const auto copy = [&chosen](const auto& from, auto& to, const auto& time_of) {
        std::copy_if(from.begin(), from.end(), std::back_inserter(to), [&](const auto& record) {
            return time_of(record) >= chosen.begin && time_of(record) <= chosen.end;
        });
    };
    const auto begin = [](const auto& record) { return record.begin; };
    copy(recording.instructions, part.instructions, [](const auto& i) { return i.issued; });
    copy(recording.waits, part.waits, begin);
    copy(recording.flags, part.flags, [](const auto& flag) { return flag.set; });
    copy(recording.runs, part.runs, begin);
    return part;
}

void write_kernel_tables(const Recording& recording, const std::string& chip,
                         const std::filesystem::path& folder) {
    const std::vector<BlockUse> uses = uses_of(recording);
    write_file((folder / "OpBasicInfo.csv").string(), basic_table(recording, chip, uses));
    write_file((folder / "PipeUtilization.csv").string(), pipe_table(recording, uses));
    write_file((folder / "L2Cache.csv").string(), l2_table(uses));
}

}  // namespace ptosim::toolkit
