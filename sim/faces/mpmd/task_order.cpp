#include "sim/faces/mpmd/task_order.h"

#include <algorithm>
#include <cstdio>
#include <map>

namespace ptosim::mpmd {

std::vector<SubmittedTask> in_order(const Program& program, const Run& run) {
    std::vector<SubmittedTask> tasks;
    std::map<uint64_t, size_t> numbers;
    const auto task = [&](uint64_t id) -> SubmittedTask& {
        const auto [at, first] = numbers.try_emplace(id, tasks.size());
        if (first) tasks.emplace_back().id = id;
        return tasks[at->second];
    };
    for (const Submit& submit : run.submits) {
        SubmittedTask& made = task(submit.task);
        made.submit_begin = submit.begin;
        made.submit_end = submit.end;
    }
    for (size_t i = run.first_task; i < run.tasks_end; ++i) {
        const Task& part = program.tasks[i];
        if (part.id == kNoTask || (!run.submits.empty() && numbers.count(part.id) == 0)) continue;
        SubmittedTask& of = task(part.id);
        of.parts.push_back(&part);
        of.seen = std::max({of.seen, part.end, part.seen});
    }
    return tasks;
}

std::map<uint64_t, uint32_t> numbers_of(const std::vector<SubmittedTask>& tasks) {
    std::map<uint64_t, uint32_t> numbers;
    for (uint32_t i = 0; i < tasks.size(); ++i) numbers[tasks[i].id] = i;
    return numbers;
}

std::string part_name(const SubmittedTask& task, const Task& part) {
    return part.kernel + " (" + task_name(task.id) + ", " + ptosim::name(part.core) + ")";
}

std::string task_text(const SubmittedTask& task) {
    if (task.parts.empty()) return task_name(task.id);
    return task.parts.front()->kernel + " (" + task_name(task.id) + ")";
}

std::string bytes_text(uint64_t begin, uint64_t end) {
    char text[64];
    std::snprintf(text, sizeof text, "%llu bytes at 0x%llx",
                  static_cast<unsigned long long>(end - begin),
                  static_cast<unsigned long long>(begin));
    return text;
}

}  // namespace ptosim::mpmd
