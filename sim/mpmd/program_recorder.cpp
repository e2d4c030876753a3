#include "sim/mpmd/program_recorder.h"

#include <filesystem>
#include <iostream>

#include "sim/files/files.h"
#include "sim/mpmd/program_files.h"
#include "sim/mpmd/records.h"

namespace ptosim::mpmd {
namespace {

constexpr const char* kTraceFile = "program.json";
constexpr const char* kReportFile = "program.md";
constexpr const char* kRunsFolder = "program_runs";

bool computes(Pipe pipe) { return pipe == Pipe::kV || pipe == Pipe::kM; }

}  // namespace

ProgramRecorder::ProgramRecorder(std::string folder) : folder_{std::move(folder)} {
    if (!folder_.empty()) std::filesystem::remove_all(std::filesystem::path(folder_) / kRunsFolder);
}

void ProgramRecorder::on_complete(const InstructionEvent& event) {
    ++completed_;
    if (folder_.empty() || event.pipe == Pipe::kS) return;
    CoreBusy& busy = busy_[{event.core.type, event.core.index}];
    busy.any.add(event.started, event.time);
    if (computes(event.pipe)) busy.compute.add(event.started, event.time);
}

// ---- runs ---------------------------------------------------------------------------------

const char* ProgramRecorder::folder_of_next_run(const std::string& chosen_by_user) {
    if (folder_.empty()) return nullptr;
    const std::lock_guard lock(mutex_);
    std::string folder = chosen_by_user;
    if (folder.empty())
        folder = (std::filesystem::path(folder_) / kRunsFolder / std::to_string(runs_)).string();
    ++runs_;
    prepared_.push_back(folder);
    std::filesystem::create_directories(folder);
    return folders_.insert(folder).first->c_str();
}

void ProgramRecorder::begin_run(Cycle now, unsigned aics, unsigned aivs) {
    Run& run = program_.runs.emplace_back();
    run.begin = now;
    run.aics = aics;
    run.aivs = aivs;
    run.first_task = program_.tasks.size();
    const std::lock_guard lock(mutex_);
    if (prepared_.empty()) return;
    run.folder = std::move(prepared_.front());
    prepared_.pop_front();
}

void ProgramRecorder::end_run(Cycle now) {
    program_.runs.back().end = now;
    program_.runs.back().tasks_end = program_.tasks.size();
}

// ---- tasks --------------------------------------------------------------------------------

void ProgramRecorder::begin_task(CoreId core) {
    if (folder_.empty()) return;
    CoreBusy& busy = busy_[{core.type, core.index}];
    busy.any.clear();
    busy.compute.clear();
}

void ProgramRecorder::end_task(Task task) {
    if (!folder_.empty()) {
        const CoreBusy& busy = busy_[{task.core.type, task.core.index}];
        task.compute = busy.compute.total(task.begin);
        task.memory = busy.any.total(task.begin) - task.compute;
    }
    program_.tasks.push_back(std::move(task));
}

// ---- the end ------------------------------------------------------------------------------

void ProgramRecorder::write(uint64_t clock_hz) {
    if (folder_.empty()) return;
    std::vector<RunAnalysis> analyses;
    for (Run& run : program_.runs) {
        read_records(program_, run, clock_hz);
        analyses.push_back(analyse(program_, run));
    }
    const std::filesystem::path folder = folder_;
    write_file((folder / kTraceFile).string(), program_trace(program_, clock_hz));
    write_file((folder / kReportFile).string(), program_report(program_, analyses, clock_hz));
    std::cerr << kernels_text(all_kernels(analyses), clock_hz);
    constexpr size_t kRunsShown = 4;
    for (size_t i = 0; i < std::min(kRunsShown, analyses.size()); ++i)
        std::cerr << limits_text(program_.runs[i], analyses[i], i, clock_hz);
    std::cerr << "program: " << (folder / kReportFile).string() << " (what limits it), "
              << (folder / kTraceFile).string()
              << " (swimlane of its tasks, for https://ui.perfetto.dev)\n";
}

}  // namespace ptosim::mpmd
