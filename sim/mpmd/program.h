// Record of a program of many kernels: its runs, their tasks on cores, and the records of the runtime's own collectors
// (records.h).
#pragma once

#include <limits>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "sim/observe/observer.h"

namespace ptosim::mpmd {

inline constexpr uint64_t kNoTask = std::numeric_limits<uint64_t>::max();

// Bytes of global memory that a task has read or written, and an instruction that did.
struct TouchedBytes {
    uint64_t begin = 0, end = 0;  // device addresses
    bool writes = false;
    SourceLocation location;
};

// A kernel on a core. A task of the runtime has one, or several: of a group of cores, or its
// blocks.
struct Task {
    CoreId core;
    std::string kernel;
    Cycle begin = 0, end = 0;
    Cycle compute = 0;  // while its vector or cube unit was at work
    Cycle memory = 0;   // while only pipes that move data were
    // Of the runtime's records; 0: not recorded.
    uint64_t id = kNoTask;              // which of the runtime's tasks it is a part of
    Cycle dispatched = 0;               // its scheduler began to hand it over
    Cycle received = 0;                 // its core had taken it
    Cycle seen = 0;                     // a scheduler had seen its end
    std::vector<TouchedBytes> touched;  // those that read first, each by their begins
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

// One of the reasons of a dependency.
struct Reason {
    enum class Kind : uint8_t {
        kTensor,  // the earlier task was the last to write a tensor that the later one is given
        kMaker,   // the tensor was made for the earlier task
        kNamed,   // the program names the dependency
    };
    uint64_t before = 0, after = 0;  // tasks
    Kind kind = Kind::kNamed;
    unsigned argument = 0;  // of the later task; not of kNamed
};

// A tensor that a task was given.
struct Argument {
    uint64_t task = 0;
    unsigned index = 0;
    bool reads = false, writes = false;
    uint64_t begin = 0, end = 0;                // device addresses of what it was given
    uint64_t tensor_begin = 0, tensor_end = 0;  // of the whole tensor
};

// A scheduler's activity, without unsuccessful polling.
struct Phase {
    std::string kind;
    Cycle begin = 0, end = 0;
    uint64_t tasks = 0;
    // Tasks in the queues that schedulers share, of kernels for AIC, for AIV, for both.
    unsigned ready_begin[3] = {}, ready_end[3] = {};
};

struct Submit {
    uint64_t task = 0;
    Cycle begin = 0, end = 0;
};

// A tensor in memory that the runtime has allocated for `maker`: the bytes that `user` was given.
struct TensorUse {
    uint64_t maker = 0, user = 0;  // tasks
    uint64_t begin = 0, end = 0;   // device addresses
};

// Device memory that a processor has written by itself.
struct ProcessorStore {
    Cycle time = 0;
    uint64_t begin = 0, end = 0;
};

// Of a scope of the orchestration at its end: what its tasks hold, and what there is.
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
    unsigned aics = 0, aivs = 0;  // cores that it had
    std::string folder;           // of the runtime's records; empty: there are none
    std::string note;             // why records are not there, or not all
    bool readable = true;         // false: the note says which file is not
    std::string failure;          // why the run has failed; empty: it has not
    std::string failure_hint;     // what to do about it; may be empty
    std::vector<std::string> under_way;  // of a run that has failed: its tasks that had not ended
    std::vector<Dependency> dependencies;
    std::vector<Reason> reasons;      // of the dependencies
    std::vector<Argument> arguments;  // by task, each in the order of its arguments
    std::vector<uint64_t> windows;    // by ring: how many tasks it has slots for
    std::vector<std::vector<Phase>> schedulers;
    std::vector<Submit> submits;
    std::vector<Scope> scopes;
    // Addresses [first, second) of tensors that no task of the run has allocated.
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

// An arrow for each dependency of a run: from the part of a task that ended last to each part of
// those that depend on it. Indices into Program::tasks.
struct Arrow {
    size_t from = 0, to = 0;
};
std::vector<Arrow> arrows(const Program& program, const Run& run);

// Of cycles, rounded down.
uint64_t nanoseconds(Cycle cycles, uint64_t clock_hz);
// "12.345"
std::string microseconds_text(Cycle cycles, uint64_t clock_hz);
// "r1t7": as the runtime's tools call a task.
std::string task_name(uint64_t id);

}  // namespace ptosim::mpmd
