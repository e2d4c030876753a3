#include "traces/write/chip_swimlane.h"

#include <algorithm>
#include <cctype>
#include <map>

#include "isa/core/arch.h"
#include "sim/files/json.h"
#include "sim/files/output_file.h"
#include "traces/analyse/labels.h"
#include "traces/analyse/lane_slices.h"
#include "traces/record/core_index.h"

namespace ptosim {

namespace {

using Path = std::filesystem::path;

// Readers take a time of 0 for one that is missing.
constexpr Cycle kFirstTick = 1;
constexpr unsigned kCoreTimesOnly = 1;    // "chip_swimlane_level": no AICPU took part
constexpr unsigned kPipeUtilization = 2;  // "event_type" of pmu.csv

// A block of a launch.
struct Task {
    uint32_t launch = 0;
    uint32_t block = 0;
    std::array<bool, 3> cores{};  // AIC, first AIV, second AIV
    Cycle end = 0;
    std::vector<uint32_t> runs;  // of its cores
};

// A counter of pmu.csv; kAll: of something that is not modelled.
struct Counter {
    std::string_view name;
    Pipe pipe = Pipe::kAll;
};
constexpr Counter kCycleCounters[] = {
    {"vec_busy_cycles", Pipe::kV},     {"cube_busy_cycles", Pipe::kM},
    {"scalar_busy_cycles", Pipe::kS},  {"mte1_busy_cycles", Pipe::kMTE1},
    {"mte2_busy_cycles", Pipe::kMTE2}, {"mte3_busy_cycles", Pipe::kMTE3},
    {"icache_miss", Pipe::kAll},       {"icache_req", Pipe::kAll}};
constexpr Counter kInstructionCounters[] = {
    {"pmu_idc_aic_vec_busy_o", Pipe::kV}, {"cube_instr_busy", Pipe::kM},
    {"scalar_instr_busy", Pipe::kS},      {"mte1_instr_busy", Pipe::kMTE1},
    {"mte2_instr_busy", Pipe::kMTE2},     {"mte3_instr_busy", Pipe::kMTE3},
    {"icache_req", Pipe::kAll},           {"icache_miss", Pipe::kAll},
    {"pmu_fix_instr_busy", Pipe::kFIX}};

class ChipSwimlane {
 public:
    ChipSwimlane(const Recording& recording, Path folder)
        : r_{recording}, folder_{std::move(folder)} {
        for (CoreId core : r_.cores) {
            const unsigned cluster = core.type == CoreType::kAIC ? core.index : core.index / 2u;
            clusters_ = std::max(clusters_, cluster + 1);
        }
        clusters_ = std::max<unsigned>(clusters_, static_cast<unsigned>(r_.facts.aics));
        find_tasks();
    }

    std::vector<Path> write() {
        make_output_folder(folder_);
        records();
        text("deps.json", dump_json(deps(), 1) + "\n");
        text("name_map_" + case_name() + ".json", dump_json(names(), 1) + "\n");
        counters();
        return std::move(written_);
    }

 private:
    void text(const std::string& name, const std::string& content) {
        written_.push_back(folder_ / name);
        OutputFile file(written_.back());
        file.write(content);
        file.commit();
    }
    // First the AICs, then the AIVs.
    unsigned core_id(CoreId core) const {
        return core.type == CoreType::kAIC ? core.index : clusters_ + core.index;
    }
    static unsigned lane_number(CoreId core) {
        return core.type == CoreType::kAIC ? 0 : 1u + core.index % 2u;
    }

    void find_tasks() {
        std::map<std::pair<uint32_t, uint32_t>, Task> found;
        for (uint32_t i = 0; i < r_.runs.size(); ++i) {
            const RunRecord& run = r_.runs[i];
            uint32_t launch = 0;
            while (launch + 1 < r_.launches.size() && r_.launches[launch + 1].begin <= run.begin)
                ++launch;
            Task& task = found[{launch, run.identity.block}];
            task.launch = launch;
            task.block = run.identity.block;
            // The only AIV of a block may be any of its cluster.
            const unsigned slot =
                run.identity.subblocks > 1 || r_.cores[run.core].type == CoreType::kAIC
                    ? lane_number(r_.cores[run.core])
                    : 1;
            task.cores[slot] = true;
            task.end = std::max(task.end, run.end);
            task.runs.push_back(i);
        }
        task_of_run_.resize(r_.runs.size());
        for (auto& [key, task] : found) {
            for (uint32_t run : task.runs) task_of_run_[run] = tasks_.size();
            tasks_.push_back(std::move(task));
        }
    }

    // A number per kernel and type of core.
    unsigned function_id(uint32_t launch, CoreType type) const {
        const std::string& kernel = r_.launches[launch].kernel;
        uint32_t first = 0;
        while (r_.launches[first].kernel != kernel) ++first;
        return 2 * first + (type == CoreType::kAIV);
    }
    unsigned function_of(const RunRecord& run, const Task& task) const {
        return r_.launches.empty() ? 0 : function_id(task.launch, r_.cores[run.core].type);
    }

    void records() {
        const uint64_t clock = r_.clock_hz() > 0 ? r_.clock_hz() : 1'000'000'000;
        std::string out = "{\"chip_swimlane_level\":" + std::to_string(kCoreTimesOnly) +
                          ",\n\"metadata\":{\"clock_freq_hz\":" + std::to_string(clock) +
                          ",\"num_cores\":" + std::to_string(3 * clusters_) + ",\"core_types\":[";
        for (unsigned core = 0; core < 3 * clusters_; ++core)
            out += std::string(core > 0 ? "," : "") + (core < clusters_ ? "\"aic\"" : "\"aiv\"");
        out += "]},\n\"aicore_tasks\":[";
        std::map<uint16_t, uint64_t> dispatched;  // by core
        for (uint32_t i = 0; i < r_.runs.size(); ++i) {
            const RunRecord& run = r_.runs[i];
            out += std::string(i > 0 ? ",\n" : "\n") + "[" +
                   std::to_string(core_id(r_.cores[run.core])) + "," +
                   std::to_string(task_of_run_[i]) + "," + std::to_string(++dispatched[run.core]) +
                   "," + std::to_string(run.begin + kFirstTick) + "," +
                   std::to_string(run.end + kFirstTick) + ",0]";
        }
        text("chip_swimlane_records.json",
             out +
                 "\n],\n\"aicpu_tasks\":[],\"aicpu_scheduler_phases\":[],"
                 "\"aicpu_orchestrator_phases\":[]}\n");
    }

    Json deps() const {
        Json tasks = Json::array(), edges = Json::array();
        const std::vector<int64_t> before_launch = last_before_launches();
        for (size_t t = 0; t < tasks_.size(); ++t) {
            const Task& task = tasks_[t];
            Json kernels = Json::array();
            for (unsigned slot = 0; slot < 3; ++slot)
                kernels.push_back(
                    task.cores[slot] && !r_.launches.empty()
                        ? static_cast<int>(
                              function_id(task.launch, slot == 0 ? CoreType::kAIC : CoreType::kAIV))
                        : -1);
            tasks.push_back({{"task_id", std::to_string(t)},
                             {"scope", "auto"},
                             {"kernel_ids", std::move(kernels)},
                             {"block_num", 1},
                             {"args", Json::array()}});
            // Launches come one after the other.
            if (const int64_t before = before_launch[task.launch]; before >= 0)
                edges.push_back({{"pred", std::to_string(before)},
                                 {"succ", std::to_string(t)},
                                 {"arg", -1},
                                 {"source", "explicit"},
                                 {"flags", {"wait", "retain"}}});
        }
        return {{"tasks", tasks}, {"tensors", Json::array()}, {"edges", edges}};
    }
    // By launch: the task before it that ended last; -1: there is none. Launches that a damaged
    // recording has lost count as one.
    std::vector<int64_t> last_before_launches() const {
        std::vector<int64_t> last(std::max<size_t>(r_.launches.size(), 1) + 1, -1);
        for (size_t t = 0; t < tasks_.size(); ++t) {
            int64_t& latest = last[tasks_[t].launch + 1];
            if (latest < 0 || tasks_[t].end > tasks_[static_cast<size_t>(latest)].end)
                latest = static_cast<int64_t>(t);
        }
        for (size_t launch = 1; launch < last.size(); ++launch)
            if (last[launch] < 0) last[launch] = last[launch - 1];
        return last;
    }

    Json names() const {
        Json functions = Json::object();
        for (const Task& task : tasks_) {
            if (r_.launches.empty()) break;
            const bool both = task.cores[0] && (task.cores[1] || task.cores[2]);
            const std::string& kernel = r_.launches[task.launch].kernel;
            if (task.cores[0])
                functions[std::to_string(function_id(task.launch, CoreType::kAIC))] =
                    both ? kernel + " (cube)" : kernel;
            if (task.cores[1] || task.cores[2])
                functions[std::to_string(function_id(task.launch, CoreType::kAIV))] =
                    both ? kernel + " (vector)" : kernel;
        }
        return {{"level", 2},
                {"orchestrator_name", r_.launches.empty() ? "" : r_.launches.front().kernel},
                {"callable_id_to_name", functions}};
    }
    std::string case_name() const {
        std::string name = r_.launches.empty() ? "run" : r_.launches.front().kernel;
        for (char& c : name)
            if (std::isalnum(static_cast<unsigned char>(c)) == 0 && c != '-') c = '_';
        return name;
    }

    // Busy cycles of every pipe of a core during its runs.
    using Busy = std::array<Cycle, kPipeCount>;
    std::vector<Busy> busy_of_runs() const {
        std::vector<Busy> busy(r_.runs.size());
        std::vector<std::vector<uint32_t>> runs(r_.cores.size());
        for (uint32_t i = 0; i < r_.runs.size(); ++i) runs[r_.runs[i].core].push_back(i);
        const std::vector<CoreLanes> lanes = lane_slices(r_);
        for (size_t core = 0; core < lanes.size(); ++core)
            for (size_t pipe = 0; pipe < kPipeCount; ++pipe) {
                size_t run = 0;
                for (const Slice& s : lanes[core][pipe]) {
                    if (s.activity != Activity::kWork && s.activity != Activity::kRun) continue;
                    while (run + 1 < runs[core].size() &&
                           r_.runs[runs[core][run + 1]].begin <= s.begin)
                        ++run;
                    if (run < runs[core].size()) busy[runs[core][run]][pipe] += s.end - s.begin;
                }
            }
        return busy;
    }

    void counters() {
        const Arch arch = r_.launches.empty() ? Arch::kA2A3 : r_.launches.front().arch;
        const std::span<const Counter> counters =
            traits_of(arch).counts_instructions_busy
                ? std::span<const Counter>(kInstructionCounters)
                : std::span<const Counter>(kCycleCounters);
        std::string out = "thread_id,core_id,task_id,func_id,core_type,pmu_total_cycles,";
        for (const Counter& counter : counters) out += std::string(counter.name) + ",";
        out += "event_type\n";
        const std::vector<Busy> busy = busy_of_runs();
        for (uint32_t i = 0; i < r_.runs.size(); ++i) {
            const RunRecord& run = r_.runs[i];
            const CoreId core = r_.cores[run.core];
            char task[24];
            std::snprintf(task, sizeof task, "0x%016llx",
                          static_cast<unsigned long long>(task_of_run_[i]));
            out += "0," + std::to_string(core_id(core)) + "," + task + "," +
                   std::to_string(function_of(run, tasks_[task_of_run_[i]])) + "," +
                   (core.type == CoreType::kAIC ? "0," : "1,") +
                   std::to_string(run.end - run.begin) + ",";
            for (const Counter& counter : counters)
                out += std::to_string(counter.pipe == Pipe::kAll
                                          ? 0
                                          : busy[i][static_cast<size_t>(counter.pipe)]) +
                       ",";
            out += std::to_string(kPipeUtilization) + "\n";
        }
        text("pmu.csv", out);
    }

    const Recording& r_;
    const Path folder_;
    unsigned clusters_ = 0;
    std::vector<Task> tasks_;
    std::vector<size_t> task_of_run_;
    std::vector<Path> written_;
};

}  // namespace

std::vector<Path> write_chip_swimlane(const Recording& recording, const Path& folder) {
    return ChipSwimlane(recording, folder).write();
}

}  // namespace ptosim
