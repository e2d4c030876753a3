#include <algorithm>
#include <cstdio>

#include "sim/faces/mpmd/program_files.h"

namespace ptosim::mpmd {
namespace {

constexpr size_t kStepsShown = 40;  // of a critical path

std::string right(const std::string& text, size_t width) {
    return std::string(text.size() < width ? width - text.size() : 0, ' ') + text;
}

}  // namespace

std::string percent_text(uint64_t part, uint64_t whole) {
    char text[16];
    std::snprintf(
        text, sizeof text, "%.1f %%",
        whole == 0 ? 0.0 : 100.0 * static_cast<double>(part) / static_cast<double>(whole));
    return text;
}

namespace {

struct Share {
    const char* name;
    uint64_t Shares::*part;
    const char* meaning;
};
constexpr Share kShares[] = {
    {"compute", &Shares::compute, "a kernel's vector or cube unit at work"},
    {"memory", &Shares::memory, "a kernel's data in flight, its units idle"},
    {"waiting", &Shares::waiting, "a kernel with no pipe at work: control flow, flags"},
    {"scheduling", &Shares::scheduling, "no kernel, and a task was ready for such a core"},
    {"orchestration", &Shares::orchestration, "no task was ready, and not all had been submitted"},
    {"starvation", &Shares::starvation,
     "no task was ready: they depend on others, or are too few for the cores"},
};

const char* text_of(Step::Cause cause) {
    switch (cause) {
        case Step::Cause::kDependency:
            return "a task that it depends on";
        case Step::Cause::kCore:
            return "the task before on its core";
        case Step::Cause::kSubmit:
            break;
    }
    return "its submit";
}

}  // namespace

std::string shares_text(const Shares& shares) {
    std::string text;
    for (const Share& share : kShares)
        text += (text.empty() ? "" : ", ") + std::string(share.name) + " " +
                percent_text(shares.*share.part, shares.total());
    return text;
}

namespace {

std::string path_table(const Program& program, const CriticalPath& path, uint64_t clock_hz) {
    std::string text =
        "| task | kernel | core | begins, us | takes, us | waited, us | for |\n"
        "|---|---|---|---|---|---|---|\n";
    const size_t shown = std::min(kStepsShown, path.steps.size());
    for (size_t i = 0; i < shown; ++i) {
        const Step& step = path.steps[path.steps.size() - 1 - i];
        const Task& task = program.tasks[step.task];
        text += "| " + (task.id == kNoTask ? std::string("-") : task_name(task.id)) + " | " +
                task.kernel + " | " + ptosim::name(task.core) + " | " +
                microseconds_text(task.begin, clock_hz) + " | " +
                microseconds_text(task.end - task.begin, clock_hz) + " | " +
                microseconds_text(step.waited, clock_hz) + " | " + text_of(step.cause) + " |\n";
    }
    if (shown < path.steps.size())
        text += "\n" + std::to_string(path.steps.size() - shown) + " further steps.\n";
    return text;
}

std::string scopes_table(const std::vector<Scope>& scopes) {
    std::string text =
        "| scope | tasks held | of a window of | heap held, bytes | of |\n"
        "|---|---|---|---|---|\n";
    for (const Scope& scope : scopes)
        text += "| " + scope.site + " | " + std::to_string(scope.tasks) + " | " +
                std::to_string(scope.most_tasks) + " | " + std::to_string(scope.heap) + " | " +
                std::to_string(scope.most_heap) + " |\n";
    return text;
}

// Text such as "many_tasks.py:10 `with pl.at(...):`".
std::string line_text(const Saving& saving) {
    if (saving.line == 0) return {};
    const std::string source = line_of_file(saving.file, saving.line);
    return " Line " + std::to_string(saving.line) + " of " + saving.file +
           (source.empty() ? "." : ": `" + source + "`");
}

std::string savings_text(const std::vector<Saving>& savings, uint64_t clock_hz) {
    if (savings.empty()) return {};
    std::string text =
        "\n### What a change would save\n\nEstimated from the recorded tasks. Changes that the program's author can "
        "make come first.\n\n| change | saves, us |\n|---|---|\n";
    std::string reasons;
    for (const Saving& saving : savings) {
        text += "| " + saving.change + " | " + microseconds_text(saving.cycles, clock_hz) + " |\n";
        if (!saving.why.empty()) reasons += "\n- " + saving.change + ". " + saving.why + line_text(saving) + "\n";
    }
    return text + reasons;
}

std::string run_report(const Program& program, const Run& run, const RunAnalysis& analysis,
                       uint64_t clock_hz) {
    const auto us = [clock_hz](Cycle cycles) { return microseconds_text(cycles, clock_hz); };
    std::string text;
    if (!run.note.empty()) text += "Note: " + run.note + ".\n\n";
    text +=
        "Where the cores' time went (cores of the types that the run has used):\n\n"
        "| share | | what |\n|---|---|---|\n";
    for (const Share& share : kShares)
        text += "| " + std::string(share.name) + " | " +
                percent_text(analysis.shares.*share.part, analysis.shares.total()) + " | " +
                share.meaning + " |\n";
    const CriticalPath& path = analysis.path;
    text += "\n### Critical path\n\n" + us(path.orchestration) +
            " us until its first task was submitted, " + us(path.tasks) + " us in " +
            std::to_string(path.steps.size()) + " kernels, " + us(path.hand_over) +
            " us of hand-over between them, " + us(path.end) +
            " us from the last task to the end, in which the runtime ends the executors of its cores and cleans "
            "up.\n\n" + path_table(program, path, clock_hz);
    text += savings_text(analysis.savings, clock_hz);
    if (!run.scopes.empty()) text += "\n### Scopes\n\n" + scopes_table(run.scopes);
    return text;
}

// Waits of a run for signals, most of them from other chips.
std::string signals_text(const Program& program, const Run& run, uint64_t clock_hz) {
    if (!program.has_clock) return "";
    const auto us = [clock_hz](Cycle cycles) { return microseconds_text(cycles, clock_hz); };
    std::string text = "Begins at " + us(run.begin) + " us of the common clock.";
    if (run.signal_waits.empty()) return text + "\n\n";
    text += " Its tasks wait for signals:\n\n| kernel | waits | together, us | longest, us |\n|---|---|---|---|\n";
    for (const auto& [kernel, wait] : run.signal_waits)
        text += "| " + kernel + " | " + std::to_string(wait.count) + " | " + us(wait.total) + " | " +
                us(wait.longest) + " |\n";
    return text + "\n";
}

// Empty for a program with one chip.
std::string chips_text(const Program& program) {
    if (program.chip.empty()) return "";
    if (program.has_clock)
        return "Chip " + program.chip +
               " of several with one clock: a run begins when the host has submitted it and the runs before it have "
               "ended, and waits for another chip are timed.\n\n";
    return "Chip " + program.chip +
           " of several. Each chip has a separate clock, so waits for another chip are not timed: a task that waits "
           "for a peer's signal or data takes as long as it takes on the host.\n\n";
}

}  // namespace

std::map<std::string, KernelTimes> all_kernels(const std::vector<RunAnalysis>& runs) {
    std::map<std::string, KernelTimes> kernels;
    for (const RunAnalysis& run : runs)
        for (const auto& [name, times] : run.kernels) {
            KernelTimes& all = kernels[name];
            all.least = all.count == 0 ? times.least : std::min(all.least, times.least);
            all.most = std::max(all.most, times.most);
            all.count += times.count;
            all.total += times.total;
            all.head += times.head;
            all.tail += times.tail;
            all.recorded += times.recorded;
        }
    return kernels;
}

std::string kernels_text(const std::map<std::string, KernelTimes>& kernels, uint64_t clock_hz) {
    if (kernels.empty()) return {};
    size_t width = 6;
    bool recorded = false;
    for (const auto& [name, times] : kernels) {
        width = std::max(width, name.size());
        recorded |= times.recorded != 0;
    }
    std::string text = "kernel" + std::string(width - 6, ' ') +
                       "    tasks      mean us  shortest us   longest us" +
                       (recorded ? "      head us      tail us\n" : "\n");
    for (const auto& [name, times] : kernels) {
        text +=
            name + std::string(width - name.size(), ' ') + right(std::to_string(times.count), 9);
        for (const Cycle cycles : {times.total / times.count, times.least, times.most})
            text += right(microseconds_text(cycles, clock_hz), 13);
        if (times.recorded != 0)
            for (const Cycle sum : {times.head, times.tail})
                text += right(microseconds_text(sum / times.recorded, clock_hz), 13);
        text += "\n";
    }
    return text;
}

std::string limits_text(const Run& run, const RunAnalysis& analysis, size_t number,
                        uint64_t clock_hz) {
    const auto us = [clock_hz](Cycle cycles) {
        return microseconds_text(cycles, clock_hz) + " us";
    };
    std::string text;
    if (!run.failure.empty())
        text = "run " + std::to_string(number) + " has failed: " + run.failure +
               (run.failure_hint.empty() ? "" : "; " + run.failure_hint) + "\n";
    text += "run " + std::to_string(number) + ": " + us(run.end - run.begin) +
                       ", cores: " + shares_text(analysis.shares) + "\n";
    if (!run.note.empty()) text += "note: " + run.note + "\n";
    const CriticalPath& path = analysis.path;
    if (!path.steps.empty())
        text += "critical path: " + us(path.orchestration) + " to its first submit, " +
                us(path.tasks) + " in " + std::to_string(path.steps.size()) + " kernels, " +
                us(path.hand_over) + " of hand-over, " + us(path.end) + " to the end\n";
    if (!analysis.savings.empty() && analysis.savings.front().cycles != 0)
        text += "would save most: " + analysis.savings.front().change + " (" +
                us(analysis.savings.front().cycles) + ")\n";
    return text;
}

std::string failures_text(const Program& program) {
    constexpr size_t kTasksShown = 8;
    std::string text;
    for (size_t i = 0; i < program.runs.size(); ++i) {
        const Run& run = program.runs[i];
        if (run.failure.empty()) continue;
        text += "**Run " + std::to_string(i) + " has failed**: " + run.failure + ".";
        if (!run.failure_hint.empty()) text += " To mend it: " + run.failure_hint + ".";
        std::map<std::string, size_t> ended;
        for (size_t task = run.first_task; task < run.tasks_end; ++task) ++ended[program.tasks[task].kernel];
        std::string kernels;
        for (const auto& [kernel, count] : ended)
            kernels += (kernels.empty() ? "" : ", ") + std::to_string(count) + " of " + kernel;
        text += "\n\nTasks that had ended: " + (kernels.empty() ? "none" : kernels) + ".\n";
        for (size_t task = 0; task < std::min(kTasksShown, run.under_way.size()); ++task)
            text += "\n- " + run.under_way[task] + ", and has not ended";
        text += "\n";
    }
    return text;
}

std::string program_report(const Program& program, const std::vector<RunAnalysis>& runs,
                           uint64_t clock_hz) {
    std::string text =
        "# Program\n\n" + failures_text(program) + chips_text(program) + "```\n" +
        kernels_text(all_kernels(runs), clock_hz) +
        "```\n\nhead: mean time from the start of a task's hand-over to the start of the task; "
        "tail: mean time from its end until a scheduler has seen it.\n";
    for (size_t i = 0; i < runs.size(); ++i)
        text += "\n## Run " + std::to_string(i) + ": " +
                microseconds_text(program.runs[i].end - program.runs[i].begin, clock_hz) +
                " us\n\n" + signals_text(program, program.runs[i], clock_hz) + run_report(program, program.runs[i], runs[i], clock_hz);
    return text;
}

}  // namespace ptosim::mpmd
