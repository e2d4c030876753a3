#include "sim/faces/mpmd/program_recorder.h"

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <iostream>
#include <iterator>

#include "isa/core/diagnostic.h"
#include "sim/check/region.h"
#include "sim/faces/mpmd/heap_use.h"
#include "sim/faces/mpmd/program_files.h"
#include "sim/faces/mpmd/records.h"
#include "sim/faces/mpmd/signal_board.h"
#include "sim/faces/mpmd/task_bounds.h"
#include "sim/faces/mpmd/task_races.h"
#include "sim/files/files.h"
#include "traces/write/chrome_trace.h"
#include "traces/write/html.h"

namespace ptosim::mpmd {
namespace {

namespace fs = std::filesystem;

constexpr const char* kTraceFile = "program.json";
constexpr const char* kReportFile = "program.md";
constexpr const char* kRunsFolder = "program_runs";

constexpr const char* kFolderHint =
    "PTOSIM_TRACE names the trace folder; by default, records go below TMPDIR or /tmp";

// Makes a new folder, for records that only this process reads.
std::string make_temporary_folder() {
    std::error_code error;
    const fs::path above = fs::temp_directory_path(error);
    if (error)
        fail_input("I02", "the folder of temporary files cannot be used: " + error.message(),
                   kFolderHint);
    std::string name = (above / "ptosim-records-XXXXXX").string();
    if (mkdtemp(name.data()) == nullptr)
        fail_input("I02", name + ": cannot be made: " + std::strerror(errno), kFolderHint);
    return name;
}

bool records_written(const Run& run) {
    if (run.folder.empty()) return true;
    std::error_code error;
    return fs::exists(fs::path(run.folder) / "chip_swimlane_records.json", error) &&
           fs::exists(fs::path(run.folder) / "deps.json", error);
}

// Overlapping ranges of one kind are merged. Adjacent ones are merged only if they have the same line, because accesses
// of two lines may be to two tensors.
void merge(std::vector<TouchedBytes>& touched) {
    std::stable_sort(touched.begin(), touched.end(), [](const auto& a, const auto& b) {
        return std::pair(a.writes, a.begin) < std::pair(b.writes, b.begin);
    });
    std::vector<TouchedBytes> merged;
    for (const TouchedBytes& bytes : touched)
        if (!merged.empty() && merged.back().writes == bytes.writes &&
            (merged.back().end > bytes.begin ||
             (merged.back().end == bytes.begin && merged.back().location == bytes.location)))
            merged.back().end = std::max(merged.back().end, bytes.end);
        else
            merged.push_back(bytes);
    touched = std::move(merged);
}

// Only advice tests whether tasks touch the same bytes. For very many ranges the hulls suffice for that, if less
// exactly.
void limit(std::vector<TouchedBytes>& touched) {
    constexpr size_t kMost = 4096;
    if (touched.size() <= kMost) return;
    std::vector<TouchedBytes> hulls;
    for (const TouchedBytes& bytes : touched)  // reads come first, each kind sorted by begin
        if (!hulls.empty() && hulls.back().writes == bytes.writes)
            hulls.back().end = std::max(hulls.back().end, bytes.end);
        else
            hulls.push_back(bytes);
    touched = std::move(hulls);
}

bool computes(Pipe pipe) { return pipe == Pipe::kV || pipe == Pipe::kM; }

}  // namespace

ProgramRecorder::ProgramRecorder(std::string folder, TaskChecks checks, bool keeps)
    : folder_{std::move(folder)}, checks_{checks} {
    program_.chip = chip_number();
    if (!folder_.empty()) {
        records_ = (fs::path(folder_) / kRunsFolder).string();
        std::error_code error;
        fs::remove_all(records_, error);
        if (error)
            fail_input("I02", records_ + ": cannot be removed: " + error.message(), kFolderHint);
    } else if (checks_.any() || keeps) {
        records_ = make_temporary_folder();
    }
}

void ProgramRecorder::on_complete(const InstructionEvent& event) {
    ++completed_;
    if (records_.empty()) return;
    Core& core = at(event.core);
    touch(core, event);
    if (event.pipe == Pipe::kS) return;
    core.any.add(event.started, event.time);
    if (core.costs != nullptr && event.issued >= core.begin) {
        const SourceLocation at = event.instruction->location;
        (*core.costs)[uint64_t{at.file} << 32 | at.line] += event.time - event.started;
    }
    if (computes(event.pipe)) core.compute.add(event.started, event.time);
}

// An instruction that a task has left running still belongs to that task.
void ProgramRecorder::touch(Core& core, const InstructionEvent& event) {
    const bool late = event.issued < core.begin && core.last != kNoTask;
    std::vector<TouchedBytes>& touched = late ? program_.tasks[core.last].touched : core.touched;
    std::vector<check::Region> regions;
    for (const Access& access : accesses(*event.instruction)) {
        if (!access.global) continue;
        regions.clear();
        check::regions_of(access, *event.instruction, regions);
        for (const check::Region& region : regions)
            for (uint64_t line = 0; line < region.lines; ++line) {
                const uint64_t begin = region.begin + line * region.pitch;
                for (const bool writes : {false, true})
                    if (writes ? access.writes : access.reads)
                        touched.push_back(
                            {begin, begin + region.width, writes, event.instruction->location});
            }
    }
}

// ---- runs ---------------------------------------------------------------------------------

const char* ProgramRecorder::folder_of_next_run(const std::string& chosen_by_user) {
    if (records_.empty()) return nullptr;
    const std::lock_guard lock(mutex_);
    std::string folder = chosen_by_user;
    if (folder.empty()) folder = (fs::path(records_) / std::to_string(runs_)).string();
    ++runs_;
    prepared_.push_back(folder);
    make_folder(folder);
    return folders_.insert(folder).first->c_str();
}

void ProgramRecorder::on_launch(const LaunchEvent& event) {
    program_.runs.back().begin = event.time;
}

void ProgramRecorder::begin_run(unsigned aics, unsigned aivs) {
    Run& run = program_.runs.emplace_back();
    if (aics != 0) program_.aivs_per_cluster = aivs / aics;
    run.aics = aics;
    run.aivs = aivs;
    run.first_task = program_.tasks.size();
    const std::lock_guard lock(mutex_);
    if (prepared_.empty()) return;
    run.folder = std::move(prepared_.front());
    prepared_.pop_front();
}

void ProgramRecorder::add(const ProcessorStore& store) {
    if (checks_.heap) program_.runs.back().stores.push_back(store);
}

void ProgramRecorder::add_signal_wait(const std::string& kernel, Cycle cycles) {
    SignalWait& wait = program_.runs.back().signal_waits[kernel];
    ++wait.count;
    wait.total += cycles;
    wait.longest = std::max(wait.longest, cycles);
}

void ProgramRecorder::end_run(Cycle now) {
    program_.runs.back().end = now;
    program_.runs.back().tasks_end = program_.tasks.size();
}

void ProgramRecorder::fail_run(RunFailure failure, uint64_t clock_hz) {
    if (failure.what.empty()) return;
    Run& run = program_.runs.back();
    run.failure = std::move(failure.what);
    run.failure_hint = std::move(failure.hint);
    run.under_way = under_way(clock_hz);
}

// ---- tasks --------------------------------------------------------------------------------

void ProgramRecorder::begin_task(CoreId id, const std::string& kernel, Cycle now) {
    Core& core = at(id);
    core.any.clear();
    core.compute.clear();
    core.begin = now;
    core.kernel = kernel;
    core.costs = &costs_[kernel];
}

void ProgramRecorder::end_task(Task task) {
    Core& core = at(task.core);
    core.kernel.clear();
    core.costs = nullptr;
    if (!records_.empty()) {
        task.compute = core.compute.total(task.begin);
        task.memory = core.any.total(task.begin) - task.compute;
        task.touched = std::move(core.touched);
        core.touched.clear();
        merge(task.touched);
        if (!checks_.any()) limit(task.touched);
        core.last = program_.tasks.size();
    }
    program_.tasks.push_back(std::move(task));
}

std::vector<std::string> ProgramRecorder::under_way(uint64_t clock_hz) const {
    std::vector<std::string> tasks;
    for (const auto& [id, core] : cores_)
        if (!core.kernel.empty())
            tasks.push_back(ptosim::name(CoreId{id.first, static_cast<uint16_t>(id.second)}) +
                            " runs " + core.kernel + ", since " +
                            microseconds_text(core.begin, clock_hz) + " us");
    return tasks;
}

// ---- the end ------------------------------------------------------------------------------

void ProgramRecorder::read(const SourceMap& sources, uint64_t clock_hz, Until until) {
    KernelSites sites(sources);
    while (analyses_.size() < program_.runs.size()) {
        Run& run = program_.runs[analyses_.size()];
        if (until == Until::kWritten && !records_written(run)) return;
        read_records(program_, run, clock_hz);
        for (size_t i = run.first_task; i < run.tasks_end; ++i) merge(program_.tasks[i].touched);
        analyses_.push_back(analyse(program_, run, sites, clock_hz));
    }
}

ProgramRecord ProgramRecorder::limits(const SourceMap& sources, uint64_t clock_hz) const {
    KernelLines lines;
    for (const auto& [kernel, costs] : costs_) {
        // A line of the user corresponds to several of generated text.
        std::map<std::pair<std::string, uint32_t>, Cycle> by_line;
        for (const auto& [key, cycles] : costs) {
            Site site;
            sources.locate(site, {static_cast<uint16_t>(key >> 32), 0, static_cast<uint32_t>(key)});
            if (site.location.line != 0) by_line[{site.file, site.location.line}] += cycles;
        }
        const auto most = std::max_element(by_line.begin(), by_line.end(), [](const auto& a, const auto& b) {
            return a.second < b.second;
        });
        if (most != by_line.end() && most->second > 0) lines[kernel] = most->first;
    }
    return limits_of(program_, analyses_, lines, clock_hz);
}

const std::vector<Diagnostic>& ProgramRecorder::findings(const SourceMap& sources) {
    const auto add = [this](std::vector<Diagnostic> more) {
        std::move(more.begin(), more.end(), std::back_inserter(findings_));
    };
    KernelSites sites(sources);
    for (; looked_at_ < analyses_.size(); ++looked_at_) {
        const Run& run = program_.runs[looked_at_];
        if (!run.readable) continue;
        std::vector<Diagnostic> beyond = end_at_tensors(program_, run, sources, sites);
        if (checks_.bounds) add(std::move(beyond));
        if (checks_.races) add(task_races(program_, run, sources));
        if (checks_.heap) add(heap_misuse(program_, run, sources));
    }
    return findings_;
}

std::vector<std::string> ProgramRecorder::not_looked_at() const {
    std::vector<std::string> notes;
    for (const Run& run : program_.runs)
        if (checks_.any() && !run.readable) notes.push_back(run.note);
    return notes;
}

void ProgramRecorder::write(uint64_t clock_hz, const std::vector<std::string_view>& formats) {
    if (folder_.empty()) {
        std::error_code error;
        if (!records_.empty()) fs::remove_all(records_, error);
        if (error)
            std::cerr << "note: " << records_ << " cannot be removed: " << error.message() << "\n";
        return;
    }
    const fs::path folder = folder_;
    write_file((folder / kTraceFile).string(), program_trace(program_, clock_hz));
    const auto written = [&formats](std::string_view format) {
        return std::find(formats.begin(), formats.end(), format) != formats.end();
    };
    if (written("chrome"))
        add_chrome_events(folder / kChromeTraceFile, program_events(program_, clock_hz));
    if (written("html") && !program_.tasks.empty())
        add_page_tasks(folder / kPageFile, page_tasks(program_));
    write_file((folder / kReportFile).string(), program_report(program_, analyses_, clock_hz));
    std::cerr << kernels_text(all_kernels(analyses_), clock_hz);
    constexpr size_t kRunsShown = 4;
    for (size_t i = 0; i < std::min(kRunsShown, analyses_.size()); ++i)
        std::cerr << limits_text(program_.runs[i], analyses_[i], i, clock_hz);
    std::cerr << "program: " << (folder / kReportFile).string() << " (what limits it), "
              << (folder / kTraceFile).string()
              << " (swimlane of its tasks, for https://ui.perfetto.dev)\n";
}

}  // namespace ptosim::mpmd
