// Record of a program of many kernels: its runs, their tasks on cores, and the records of the runtime's collectors
// (records.h).
#pragma once

#include <limits>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "sim/machine/observe/observer.h"

namespace ptosim::mpmd {

inline constexpr uint64_t kNoTask = std::numeric_limits<uint64_t>::max();

// Bytes of global memory that a task has read or written, and an instruction that did so.
struct TouchedBytes {
    uint64_t begin = 0, end = 0;  // device addresses
    bool writes = false;
    SourceLocation location;
};

// A kernel's run on a core. A task of the runtime consists of one, or of several on a group of cores or for its blocks.
struct Task {
    CoreId core;
    std::string kernel;
    Cycle begin = 0, end = 0;
    Cycle compute = 0;  // while its vector or cube unit was busy
    Cycle memory = 0;   // while only pipes that move data were busy
    // From the runtime's records; 0: not recorded.
    uint64_t id = kNoTask;              // the runtime's task to which it belongs
    Cycle dispatched = 0;               // its scheduler began the hand-over
    Cycle received = 0;                 // its core had received it
    Cycle seen = 0;                     // a scheduler had seen its end
    std::vector<TouchedBytes> touched;  // first those that read; each kind sorted by begin
};

// A processor's share of a run.
struct Work {
    unsigned processor = 0;
    Cycle begin = 0, end = 0;
    uint64_t blocks = 0, loads = 0, stores = 0, spins = 0;
};

struct Dependency {
    uint64_t before = 0, after = 0;  // tasks
    friend bool operator==(const Dependency&, const Dependency&) = default;
};

// One of the reasons for a dependency.
struct Reason {
    enum class Kind : uint8_t {
        kTensor,  // the earlier task last wrote a tensor that is passed to the later one
        kMaker,   // the tensor was allocated for the earlier task
        kNamed,   // the program names the dependency
    };
    uint64_t before = 0, after = 0;  // tasks
    Kind kind = Kind::kNamed;
    unsigned argument = 0;  // of the later task; unused for kNamed
};

// A tensor passed to a task.
struct Argument {
    uint64_t task = 0;
    unsigned index = 0;
    bool reads = false, writes = false;
    uint64_t begin = 0, end = 0;                // device addresses of the passed part
    uint64_t tensor_begin = 0, tensor_end = 0;  // of the whole tensor
    std::string dtype{};                        // "FLOAT32"
    std::vector<int64_t> shape{};               // of the passed part; one extent if its elements do not follow each other
};

// A scheduler's activity, without unsuccessful polling.
struct Phase {
    std::string kind;
    Cycle begin = 0, end = 0;
    uint64_t tasks = 0;
    // Tasks in the queues that schedulers share, for kernels on AIC, AIV, and both.
    unsigned ready_begin[3] = {}, ready_end[3] = {};
};

struct Submit {
    uint64_t task = 0;
    Cycle begin = 0, end = 0;
};

// Use of a tensor in memory that the runtime has allocated for `maker`: the bytes passed to `user`.
struct TensorUse {
    uint64_t maker = 0, user = 0;  // tasks
    uint64_t begin = 0, end = 0;   // device addresses
};

// Device memory that a processor itself has written.
struct ProcessorStore {
    Cycle time = 0;
    uint64_t begin = 0, end = 0;
};

// A scope of the orchestration at its end: resources of its tasks, and the limits.
struct Scope {
    std::string site;  // file:line
    uint64_t tasks = 0, most_tasks = 0;
    uint64_t heap = 0, most_heap = 0;  // bytes
};

// Of a kernel's tasks for signals that were not there at their first look.
struct SignalWait {
    uint64_t count = 0;
    Cycle total = 0, longest = 0;
};

// One call of the runtime: tasks [first_task, tasks_end) of the program.
struct Run {
    Cycle begin = 0, end = 0;
    size_t first_task = 0, tasks_end = 0;
    unsigned aics = 0, aivs = 0;  // cores of the run
    std::string folder;           // of the runtime's records; empty: none
    std::string note;             // reason why records are missing or incomplete
    bool readable = true;         // false: the note names the unreadable file
    std::string failure;          // reason of the run's failure; empty: it has not failed
    std::string failure_hint;     // remedy; may be empty
    std::vector<std::string> under_way;  // of a failed run: its tasks that had not ended
    std::vector<Dependency> dependencies;
    std::vector<Reason> reasons;      // of the dependencies
    std::vector<Argument> arguments;  // by task, each in the order of its arguments
    std::vector<uint64_t> windows;    // by ring: number of task slots
    std::vector<std::vector<Phase>> schedulers;
    std::vector<Submit> submits;
    std::vector<Scope> scopes;
    // Addresses [first, second) of tensors that were not allocated for a task of the run.
    std::vector<std::pair<uint64_t, uint64_t>> given;
    std::vector<TensorUse> uses;
    std::vector<ProcessorStore> stores;
    std::map<std::string, SignalWait> signal_waits;  // by kernel
};

struct Program {
    std::vector<Task> tasks;  // in the order of their ends
    std::vector<Work> work;
    std::vector<Run> runs;
    unsigned aivs_per_cluster = 2;
    std::string chip;  // number of the chip; empty: the program has only one
    bool has_clock = false;  // that the chips share
};

// Arrows for the dependencies of a run: from the last part of a task to each part of its dependents. Indices into
// Program::tasks.
struct Arrow {
    size_t from = 0, to = 0;
};
std::vector<Arrow> arrows(const Program& program, const Run& run);

// Converts cycles, rounding down.
uint64_t nanoseconds(Cycle cycles, uint64_t clock_hz);
// Text such as "12.345".
std::string microseconds_text(Cycle cycles, uint64_t clock_hz);
// The name of a task in the runtime's tools: "r1t7".
std::string task_name(uint64_t id);

}  // namespace ptosim::mpmd
