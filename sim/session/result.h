// The result of a session: one structure, from which the result
// JSON, the texts and the exit code are made, for all front ends.
#pragma once

#include <filesystem>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "isa/core/diagnostic.h"
#include "sim/session/documents.h"
#include "sim/session/golden.h"
#include "sim/session/path_choice.h"
#include "sim/session/schedule_choice.h"
#include "sim/session/scope.h"
#include "traces/traces.h"

namespace ptosim {

struct LaunchSummary {
    std::string kernel;
    uint32_t blocks = 0;
    Cycle cycles = 0;           // from the launch to the end of its last block
    uint64_t instructions = 0;  // issued
    bool finished = false;      // false: stopped by an error or a deadlock
    Cycle begin = 0;            // since the chip came up
};

// What completed, and the least cycles that the chip needs for it.
struct WorkSummary {
    uint64_t flops = 0;  // of matrix products
    uint64_t global_read_bytes = 0, global_write_bytes = 0;
    Cycle compute_cycles = 0;    // the products, at the peak of all cubes
    Cycle bandwidth_cycles = 0;  // the bytes, at the rate at which all cores together move them
    Cycle occupancy_cycles = 0;  // the busiest pipe's
};

struct Result {
    std::string chip;
    uint64_t clock_hz = 0;
    bool program = false;                 // a program launched the kernels, not a command of ours
    std::vector<LaunchSummary> launches;  // in their order
    Cycle cycles = 0;  // of the launch; of several, from the first one's begin to the last's end
    Cycle task_cycles = 0;  // with what launching costs: what a profiler takes for the task
    Accounting accounting;
    // What would make the run shorter, the most first. None without a recording.
    std::optional<std::vector<Advice>> advice;
    bool timed = true;                 // false: --mode functional models no time
    WorkSummary work;                  // counted if the JSON is wanted
    TimeBasis basis;                   // what the time rests on; empty if it is not wanted
    std::vector<std::string> assumed;  // parameters of grade `assumed` that the times rest on
    std::vector<std::string> notes;    // defaults that were chosen, for people
    double seconds = 0;                // that the launches took on this host
    double processor_seconds = 0;      // of all threads

    // Findings of the machine, the checkers and the host, the most important first; suppressed ones are left out.
    std::vector<Diagnostic> findings;
    std::vector<Diagnostic>
        of_checkers;  // those of them that checkers found: reported at the end only
    // Errors that stay unnoticed on a device, and are findings only with --check bounds.
    std::vector<Diagnostic> warnings;
    size_t suppressed = 0;
    std::vector<std::string> unused_suppressions;
    std::vector<std::string> wasted;  // synchronisation that orders nothing
    bool checked = false;             // checkers were chosen: findings are counted
    Scope scope;                      // empty unless it was asked for
    ScheduleSummary schedules;        // other timings of the launches
    PathSummary paths;                // that no launch has taken
    bool memory_exceeded = false;     // of the checkers: findings may be missing

    std::vector<OutputSummary> outputs;
    std::vector<GoldenResult> goldens;
    std::vector<std::filesystem::path> files;  // that were made from the recording
    std::vector<std::string> file_notes;       // what they leave out

    uint64_t instructions() const;  // issued
    bool finished() const;          // every launch
    // An instruction that the chip or this simulator does not have: the kernel never was one for
    // it, and its times mean nothing.
    bool unusable() const;
    bool goldens_equal() const;
};

// The result JSON (docs/formats.md). `launches` is there if a program launched the kernels.
// Text that is not UTF-8 (names of files) has U+FFFD in its place.
nlohmann::ordered_json as_json(const Result& result);
std::string to_json(const Result& result);

// kInputUnusable, kKernelWrong (a finding, a mismatch with a golden, a deadlock) or kOk.
ExitCode exit_code(const Result& result);

double microseconds(Cycle cycles, uint64_t clock_hz);

}  // namespace ptosim
