// Keeps one task of the program in a folder (sim/session/kept_task.h), for `ptosim debug`, `run` and `check`.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <tuple>

#include "sim/faces/mpmd/executor.h"
#include "sim/faces/mpmd/kernel_store.h"
#include "sim/faces/mpmd/program.h"
#include "sim/session/kept_task.h"
#include "sim/session/session.h"

namespace ptosim::mpmd {

class TaskKeeper {
 public:
    // The wish of PTOSIM_KEEP_TASK; null without it. Throws DiagnosticError (I70).
    static std::unique_ptr<TaskKeeper> from_environment(Session& session);

    // A core begins a kernel as a task, in the run of this number. Throws DiagnosticError (I02, I70).
    void begin_task(size_t run, CoreId core, Cycle now, const KernelStore::Stored& kernel, const int64_t* arguments,
                    const Executor::TaskWords& words);
    // At the end of the program, when the records of its runs have been read: adds the arrays of the task. Throws
    // DiagnosticError (I70) if there was no such task, unless another process has kept one.
    void finish(const Program& program, const SourceMap& sources);

 private:
    // A run, a task of it, and a block of the task.
    using Group = std::tuple<size_t, uint64_t, int32_t>;
    // Bytes that are written to an address.
    struct Block {
        uint64_t origin = 0, address = 0;
        std::string bytes;
        uint64_t end() const { return origin + bytes.size(); }
    };

    TaskKeeper(Session& session, TaskWish wish) : session_{session}, wish_{std::move(wish)} {}
    bool is_wanted(const Group& group, const std::string& kernel);
    void keep_memory();
    void add_part(CoreId core, const KernelStore::Stored& kernel, const int64_t* arguments);
    void keep_arguments(KeptTask::Part& part, const int64_t* arguments);
    std::vector<Block> blocks_at(uint64_t arguments) const;
    void write(uint64_t address, std::string_view bytes);
    void find_arrays(const Program& program, const SourceMap& sources);
    std::string tasks_text() const;

    Session& session_;
    const TaskWish wish_;
    uint64_t seen_ = 0;                       // tasks of the wished kernel
    std::set<Group> begun_, of_kernel_;       // tasks with a number; those of the wished kernel
    struct Ran {
        uint64_t count = 0, first = kNoTask;
    };
    std::map<std::string, Ran> ran_;  // tasks by kernel

    bool kept_ = false;
    Group group_;  // the kept one
    Cycle begin_ = 0;
    KeptTask task_;
};

}  // namespace ptosim::mpmd
