// Output about a program of many kernels: program.json, program.md, and lines for the terminal.
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "sim/faces/mpmd/program_analysis.h"
#include "traces/record/recording.h"

namespace ptosim::mpmd {

// A trace in Chrome's format: lanes for processors, the orchestrator's submits and the schedulers' phases, and for each
// core its tasks by the names of their kernels; dependencies as arrows, queues as counters. Times are microseconds,
// with three decimals.
std::string program_trace(const Program& program, uint64_t clock_hz);
// The same events for a trace that also has the cores' instructions: a lane of tasks in each core.
std::string program_events(const Program& program, uint64_t clock_hz);

// The tasks and their dependencies for report.html, as JSON for traces/viewer/src/tasks.ts.
std::string page_tasks(const Program& program);

// By kernel: count, mean, shortest and longest time, and the times to hand it over and to see its end. Empty if there
// was no task.
std::string kernels_text(const std::map<std::string, KernelTimes>& kernels, uint64_t clock_hz);

// Combines the kernels of all runs.
std::map<std::string, KernelTimes> all_kernels(const std::vector<RunAnalysis>& runs);

// Text such as "31.0 %".
std::string percent_text(uint64_t part, uint64_t whole);
// Text such as "compute 0.1 %, memory 0.3 %, ...".
std::string shares_text(const Shares& shares);

// The bottlenecks of a run, in a few lines.
std::string limits_text(const Run& run, const RunAnalysis& analysis, size_t number,
                        uint64_t clock_hz);

// The same for files with the instructions. `lines`: for each kernel, the line that costs its tasks most.
using KernelLines = std::map<std::string, std::pair<std::string, uint32_t>>;
ProgramRecord limits_of(const Program& program, const std::vector<RunAnalysis>& runs,
                        const KernelLines& lines, uint64_t clock_hz);

// The report in Markdown: kernels, and for each run shares, critical path, savings, scopes.
std::string program_report(const Program& program, const std::vector<RunAnalysis>& runs,
                           uint64_t clock_hz);

}  // namespace ptosim::mpmd
