// Bottlenecks of a program of many kernels: the use of the cores' time, the path of tasks that ends last, and the
// savings of changes in the program, the hardware or the runtime. They are computed from the recorded tasks of a run,
// their dependencies and their submits; nothing is simulated again.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "sim/faces/mpmd/kernel_sites.h"
#include "sim/faces/mpmd/program.h"
#include "sim/faces/mpmd/task_graph.h"

namespace ptosim::mpmd {

// Use of the cores' time, for core types that the run has used: sums of cycles.
struct Shares {
    uint64_t compute = 0;        // a task's vector or cube unit is busy
    uint64_t memory = 0;         // a task's data is moving, its units are idle
    uint64_t waiting = 0;        // a task with no busy pipe: control flow, flags
    uint64_t scheduling = 0;     // no task, but one was ready for such a core
    uint64_t orchestration = 0;  // none was ready, and not all were submitted
    uint64_t starvation = 0;     // none was ready: dependencies, or too few tasks
    uint64_t total() const {
        return compute + memory + waiting + scheduling + orchestration + starvation;
    }
};

struct KernelTimes {
    uint64_t count = 0;
    Cycle total = 0, least = 0, most = 0;
    Cycle head = 0, tail = 0;  // sums over recorded tasks: hand-over to begin, end to seen
    uint64_t recorded = 0;
};

struct CriticalPath {
    std::vector<Step> steps;
    Cycle tasks = 0;          // spent in kernels
    Cycle hand_over = 0;      // from the end of a task's wait to its begin
    Cycle orchestration = 0;  // until the first task of the path had been submitted
    Cycle end = 0;            // from the end of the last task to the end of the run
};

// A change, and the time by which the last task would end earlier.
struct Saving {
    enum class Kind { kOrchestration, kScheduling, kStarvation, kKernel, kDependency, kTasks, kRing };
    // Author of the change: of the program, of a kernel, or of the runtime, which programs cannot change.
    enum class Who { kProgram, kKernel, kRuntime };
    std::string change;
    Cycle cycles = 0;
    Kind kind = Kind::kKernel;
    std::string kernel{};  // for kKernel: its name
    Who who = Who::kRuntime;
    std::string why{};
    std::string file{};  // of the line to change; empty: unknown
    uint32_t line = 0;

    // For a change in the program, at the region of a kernel.
    static Saving of_program(Kind kind, Cycle cycles, const std::string& kernel, KernelSites& sites);
    // Sort key of changes. Only a change that the program's author can make counts in full.
    Cycle rank() const;
};

struct RunAnalysis {
    Shares shares;
    std::map<std::string, KernelTimes> kernels;
    CriticalPath path;
    std::vector<Saving> savings;  // highest rank first
};

RunAnalysis analyse(const Program& program, const Run& run, KernelSites& sites, uint64_t clock_hz);

}  // namespace ptosim::mpmd
