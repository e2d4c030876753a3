#include "sim/faces/mpmd/program.h"

#include <cstdio>
#include <map>

namespace ptosim::mpmd {

std::vector<Arrow> arrows(const Program& program, const Run& run) {
    std::map<uint64_t, std::vector<size_t>> parts;  // of tasks, in the order of their ends
    for (size_t i = run.first_task; i < run.tasks_end; ++i) parts[program.tasks[i].id].push_back(i);
    std::vector<Arrow> found;
    for (const Dependency& dependency : run.dependencies) {
        const auto before = parts.find(dependency.before), after = parts.find(dependency.after);
        if (before == parts.end() || after == parts.end()) continue;
        for (const size_t to : after->second) found.push_back({before->second.back(), to});
    }
    return found;
}

// In two steps, because a product of all cycles would overflow after ten seconds.
uint64_t nanoseconds(Cycle cycles, uint64_t clock_hz) {
    constexpr uint64_t kSecond = 1'000'000'000;
    return cycles / clock_hz * kSecond + cycles % clock_hz * kSecond / clock_hz;
}

std::string microseconds_text(Cycle cycles, uint64_t clock_hz) {
    const uint64_t time = nanoseconds(cycles, clock_hz);
    char text[32];
    std::snprintf(text, sizeof text, "%llu.%03llu", static_cast<unsigned long long>(time / 1000),
                  static_cast<unsigned long long>(time % 1000));
    return text;
}

// The upper half is the ring of the task's slot, the lower half its number there.
std::string task_name(uint64_t id) {
    return "r" + std::to_string(id >> 32) + "t" + std::to_string(id & 0xffffffffu);
}

}  // namespace ptosim::mpmd
