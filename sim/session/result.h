// The result of a session: one structure, from which all front ends make the result JSON, the texts
// and the exit code.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "isa/core/diagnostic.h"
#include "sim/machine/memory/memory_system.h"
#include "sim/machine/memory/remote_memory.h"
#include "sim/machine/observe/work.h"
#include "sim/check/causes.h"
#include "sim/session/documents.h"
#include "sim/session/golden.h"
#include "sim/session/path_choice.h"
#include "sim/session/schedule_choice.h"
#include "sim/session/scope.h"
#include "traces/traces.h"

namespace ptosim {

class Json;

struct LaunchSummary {
    std::string kernel;
    uint32_t blocks = 0;
    Cycle cycles = 0;           // from the launch to the end of its last block
    uint64_t instructions = 0;  // issued
    bool finished = false;      // false: stopped by an error or a deadlock
    Cycle begin = 0;            // since the chip came up
};

// Completed work, and lower bounds on its cycles.
struct WorkSummary {
    uint64_t flops = 0;  // of matrix products
    uint64_t global_read_bytes = 0, global_write_bytes = 0;
    Cycle compute_cycles = 0;    // the products, at the peak of all cubes
    Cycle bandwidth_cycles = 0;  // the bytes, at the rate at which all cores together move them
    Cycle occupancy_cycles = 0;  // the busiest pipe's
    Work work;
    MemoryCounts memory;
    // Cycles for which the run uses the whole rate of L2, in each direction, and of HBM.
    Cycle l2_read_cycles = 0, l2_write_cycles = 0, hbm_cycles = 0;
    std::array<uint64_t, kSpaceCount> buffer_bytes{};  // of the chip
    LinkCounts links;  // to other chips
};

struct Result {
    std::string chip;
    uint64_t clock_hz = 0;
    bool program = false;                 // a program launched the kernels, not a command of ptosim
    std::vector<LaunchSummary> launches;  // in their order
    Cycle cycles = 0;  // of the launch; of several, from the first one's begin to the last's end
    Cycle task_cycles = 0;  // including launch overhead: the task's duration for a profiler
    Accounting accounting;
    // Advice on shorter runs, the largest saving first. Empty without a recording.
    std::optional<std::vector<Advice>> advice;
    bool timed = true;                 // false: --mode functional models no time
    WorkSummary work;                  // counted if the JSON is written
    TimeBasis basis;                   // basis of the time; empty if not requested
    TimeBasis task_basis;              // of task_cycles
    std::vector<std::string> assumed;  // parameters of grade `assumed` that the times rest on
    std::vector<std::string> notes;    // defaults that were chosen, for the user
    double seconds = 0;                // duration of the launches on this host
    double processor_seconds = 0;      // of all threads

    // Findings of the machine, the checkers and the host, the most important first, without
    // suppressed ones.
    std::vector<Diagnostic> findings;
    std::vector<Diagnostic>
        of_checkers;  // part of `findings` made by checkers, reported only at the end
    // Errors that a device would not notice; they are findings only with --check bounds.
    std::vector<Diagnostic> warnings;
    std::vector<check::Explanation> explanations;  // of findings that are causes of others
    size_t suppressed = 0;
    std::vector<std::string> unused_suppressions;
    std::vector<std::string> wasted;  // synchronisation that adds no order
    bool checked = false;             // checkers were chosen, so findings are counted
    Scope scope;                      // empty unless requested
    ScheduleSummary schedules;        // other timings of the launches
    PathSummary paths;                // paths that no launch has taken
    std::vector<std::string>
        unrecorded;                // sources whose scalar accesses the checkers did not receive
    bool memory_exceeded = false;  // by the checkers: findings may be missing

    std::vector<OutputSummary> outputs;
    std::vector<GoldenResult> goldens;
    std::vector<std::filesystem::path> files;  // made from the recording
    std::vector<std::string> file_notes;       // omissions of these files

    // Adds to `notes`, once.
    void add_note(std::string text);
    uint64_t instructions() const;  // issued
    bool finished() const;          // every launch
    // True if the kernel uses an instruction that the chip or this simulator lacks, so its times
    // mean nothing.
    bool unusable() const;
    bool goldens_equal() const;
};

// The result JSON (docs/formats.md). It has `launches` if a program launched the kernels. Text that
// is not UTF-8 (names of files) gets U+FFFD.
Json as_json(const Result& result);
std::string to_json(const Result& result);

// kInputUnusable, kKernelWrong (a finding, a mismatch with a golden, a deadlock) or kOk.
ExitCode exit_code(const Result& result);

double microseconds(Cycle cycles, uint64_t clock_hz);

}  // namespace ptosim
