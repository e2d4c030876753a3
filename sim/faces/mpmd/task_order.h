// The runtime's tasks of a run in the order of submits.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "sim/faces/mpmd/program.h"

namespace ptosim::mpmd {

struct SubmittedTask {
    uint64_t id = kNoTask;
    std::vector<const Task*> parts;          // empty: it has no kernel
    Cycle submit_begin = 0, submit_end = 0;  // 0: not recorded
    Cycle seen = 0;  // when a scheduler has seen the end of all its parts
};

// The number of no task.
inline constexpr uint32_t kNoNumber = ~uint32_t{0};

// Without records of submits, in the order of their ends.
std::vector<SubmittedTask> in_order(const Program& program, const Run& run);

// Positions in the list, by the runtime's number of the task.
std::map<uint64_t, uint32_t> numbers_of(const std::vector<SubmittedTask>& tasks);

// An access of a part of a task.
struct TaskAccess {
    uint32_t task = kNoNumber;
    const Task* part = nullptr;
    const TouchedBytes* bytes = nullptr;
};
// Calls visit(TaskAccess) for the writes of a task, or for its reads.
template <class Visit>
void each_access(const std::vector<SubmittedTask>& tasks, uint32_t task, bool writes, Visit&& visit) {
    for (const Task* part : tasks[task].parts)
        for (const TouchedBytes& bytes : part->touched)
            if (bytes.writes == writes) visit(TaskAccess{task, part, &bytes});
}

// Text such as "add (r0t5, AIV03)".
std::string part_name(const SubmittedTask& task, const Task& part);
// Text such as "add (r0t5)", or "r0t5" for a task without a kernel.
std::string task_text(const SubmittedTask& task);
// Text such as "16384 bytes at 0x200000024000".
std::string bytes_text(uint64_t begin, uint64_t end);

}  // namespace ptosim::mpmd
