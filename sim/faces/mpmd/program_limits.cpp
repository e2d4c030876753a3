#include <algorithm>
#include <map>
#include <tuple>

#include "sim/faces/mpmd/program_files.h"

namespace ptosim::mpmd {
namespace {

// All runs together.
struct Sums {
    Shares shares;
    Cycle duration = 0;
    Cycle orchestration = 0, kernels = 0, hand_over = 0, end = 0;  // of the critical paths
    uint64_t steps = 0;

    void add(const Run& run, const RunAnalysis& analysis) {
        for (uint64_t Shares::*part :
             {&Shares::compute, &Shares::memory, &Shares::waiting, &Shares::scheduling,
              &Shares::orchestration, &Shares::starvation})
            shares.*part += analysis.shares.*part;
        duration += run.end - run.begin;
        const CriticalPath& path = analysis.path;
        orchestration += path.orchestration;
        kernels += path.tasks;
        hand_over += path.hand_over;
        end += path.end;
        steps += path.steps.size();
    }
};

class Limits {
 public:
    Limits(const Sums& sums, const std::map<std::string, KernelTimes>& kernels,
           const KernelLines& lines, uint64_t clock_hz)
        : sums_{sums}, kernels_{kernels}, lines_{lines}, clock_hz_{clock_hz} {}

    std::string facts() const {
        return "Where the cores' time went: " + shares_text(sums_.shares) +
               ". The critical path: " + us(sums_.orchestration) + " to its first submit, " +
               us(sums_.kernels) + " in " + std::to_string(sums_.steps) + " tasks, " +
               us(sums_.hand_over) + " of hand-over, " + us(sums_.end) +
               " from its last task to the end.";
    }

    ProgramRecord::Limit of(const Saving& saving) const {
        ProgramRecord::Limit limit;
        limit.saving = saving.cycles;
        limit.what = saving.change;
        limit.why = saving.why;
        limit.file = saving.file;
        limit.line = saving.line;
        switch (saving.kind) {
            case Saving::Kind::kOrchestration:
                limit.kind = ProgramRecord::kOrchestration;
                if (saving.who == Saving::Who::kRuntime) add_orchestration(saving, limit);
                break;
            case Saving::Kind::kScheduling:
                limit.kind = ProgramRecord::kScheduling;
                limit.what = "Hand tasks to cores faster, in another runtime: " + saving.change;
                limit.why = "For " + share(sums_.shares.scheduling) +
                            " a core was idle though a task was ready for it; hand-overs take " +
                            us(sums_.hand_over) + " of the critical path.";
                break;
            case Saving::Kind::kStarvation:
                limit.kind = ProgramRecord::kStarvation;
                limit.what = "Let more tasks run at once (at most: " + saving.change + ")";
                limit.why = "For " + share(sums_.shares.starvation) +
                            " no task was ready: they depend on others, or are too few.";
                break;
            case Saving::Kind::kKernel:
                limit.kind = ProgramRecord::kKernel;
                add_kernel(saving.kernel, limit);
                break;
            case Saving::Kind::kDependency:
                limit.kind = ProgramRecord::kDependency;
                break;
            case Saving::Kind::kTasks:
                limit.kind = ProgramRecord::kTasks;
                break;
            case Saving::Kind::kRing:
                limit.kind = ProgramRecord::kRing;
        }
        limit.text = line_of_file(limit.file, limit.line);
        return limit;
    }

 private:
    std::string us(Cycle cycles) const { return microseconds_text(cycles, clock_hz_) + " us"; }
    std::string share(uint64_t part) const {
        return percent_text(part, sums_.shares.total()) + " of the cores' time";
    }
    void add_orchestration(const Saving& saving, ProgramRecord::Limit& limit) const {
        limit.what = "Submit tasks faster, in another runtime: " + saving.change;
        limit.why = "For " + share(sums_.shares.orchestration) +
                    " no task was ready, and not all had been submitted.";
    }
    void add_kernel(const std::string& kernel, ProgramRecord::Limit& limit) const {
        limit.what = "Make kernel " + kernel + " faster: at half its time";
        if (const auto times = kernels_.find(kernel); times != kernels_.end())
            limit.why = std::to_string(times->second.count) + " of its tasks take " +
                        us(times->second.total / times->second.count) + " in the mean.";
        const auto line = lines_.find(kernel);
        if (line == lines_.end()) return;
        std::tie(limit.file, limit.line) = line->second;
        limit.why += " The line that costs them most.";
    }

    const Sums& sums_;
    const std::map<std::string, KernelTimes>& kernels_;
    const KernelLines& lines_;
    const uint64_t clock_hz_;
};

}  // namespace

ProgramRecord limits_of(const Program& program, const std::vector<RunAnalysis>& runs,
                        const KernelLines& lines, uint64_t clock_hz) {
    Sums sums;
    std::vector<Saving> savings;  // of all runs, by change
    for (size_t i = 0; i < runs.size(); ++i) {
        sums.add(program.runs[i], runs[i]);
        for (const Saving& saving : runs[i].savings) {
            const auto same =
                std::find_if(savings.begin(), savings.end(),
                             [&](const Saving& other) { return other.change == saving.change; });
            if (same == savings.end())
                savings.push_back(saving);
            else
                same->cycles += saving.cycles;
        }
    }
    std::stable_sort(savings.begin(), savings.end(),
                     [](const Saving& a, const Saving& b) { return a.rank() > b.rank(); });
    const std::map<std::string, KernelTimes> kernels = all_kernels(runs);
    const Limits limits(sums, kernels, lines, clock_hz);
    ProgramRecord record;
    record.facts = limits.facts();
    for (const RunAnalysis& run : runs)
        for (auto step = run.path.steps.rbegin(); step != run.path.steps.rend(); ++step) {
            const Task& task = program.tasks[step->task];
            if (record.path.empty() || record.path.back().end <= task.begin)
                record.path.push_back({task.core, task.begin, task.end});
        }
    for (const Run& run : program.runs) {
        if (run.failure.empty()) continue;
        record.failure = run.failure;
        record.failure_hint = run.failure_hint;
        break;
    }
    for (const Saving& saving : savings) record.limits.push_back(limits.of(saving));
    return record;
}

}  // namespace ptosim::mpmd
