#include <algorithm>
#include <unordered_map>

#include "sim/faces/mpmd/program_files.h"
#include "sim/files/json.h"

namespace ptosim::mpmd {
namespace {

// Texts, each with its index in a list.
class Texts {
 public:
    size_t index_of(const std::string& text) {
        const auto [entry, added] = indices_.try_emplace(text, list_.size());
        if (added) list_.push_back(text);
        return entry->second;
    }
    const Json& list() const { return list_; }

 private:
    Json list_ = Json::array();
    std::unordered_map<std::string, size_t> indices_;
};

// Slices of one processor, [phase, begin, cycles] each; `phases` receives their names.
Json scheduler_slices(const std::vector<Phase>& of, Texts& phases) {
    Json slices = Json::array();
    for (const Phase& phase : of)
        slices.push_back({phases.index_of(phase.kind), phase.begin, phase.end - phase.begin});
    return slices;
}

Json submit_slices(const Program& program, Texts& phases) {
    Json slices = Json::array();
    for (const Run& run : program.runs)
        for (const Submit& submit : run.submits)
            slices.push_back(
                {phases.index_of("submit " + task_name(submit.task)), submit.begin, submit.end - submit.begin});
    return slices;
}

// The orchestrator and the schedulers, over all runs.
Json processors(const Program& program, Texts& phases) {
    Json list = Json::array();
    Json submits = submit_slices(program, phases);
    if (!submits.empty()) list.push_back({{"name", "submits"}, {"slices", std::move(submits)}});
    size_t most = 0;
    for (const Run& run : program.runs) most = std::max(most, run.schedulers.size());
    for (size_t i = 0; i < most; ++i) {
        Json slices = Json::array();
        for (const Run& run : program.runs)
            if (i < run.schedulers.size())
                for (auto& slice : scheduler_slices(run.schedulers[i], phases)) slices.push_back(std::move(slice));
        if (!slices.empty()) list.push_back({{"name", "sched " + std::to_string(i)}, {"slices", std::move(slices)}});
    }
    return list;
}

}  // namespace

std::string page_tasks(const Program& program) {
    Texts cores, kernels, phases;
    Json tasks = Json::array(), dependencies = Json::array();
    for (const Task& task : program.tasks)
        tasks.push_back({cores.index_of(ptosim::name(task.core)), kernels.index_of(task.kernel),
                         task.begin, task.end - task.begin,
                         task.id == kNoTask ? "" : task_name(task.id)});
    for (const Run& run : program.runs)
        for (const Arrow& arrow : arrows(program, run))
            dependencies.push_back({arrow.from, arrow.to});
    Json of_processors = processors(program, phases);
    const Json page{{"cores", cores.list()},     {"kernels", kernels.list()},
                    {"tasks", std::move(tasks)}, {"dependencies", std::move(dependencies)},
                    {"phases", phases.list()},   {"processors", std::move(of_processors)}};
    return dump_json(page);
}

}  // namespace ptosim::mpmd
