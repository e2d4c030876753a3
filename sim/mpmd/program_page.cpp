#include <nlohmann/json.hpp>
#include <unordered_map>

#include "sim/files/dump_json.h"
#include "sim/mpmd/program_files.h"

namespace ptosim::mpmd {
namespace {

// Texts, each with the index that it has in a list.
class Texts {
 public:
    size_t index_of(const std::string& text) {
        const auto [entry, added] = indices_.try_emplace(text, list_.size());
        if (added) list_.push_back(text);
        return entry->second;
    }
    const nlohmann::ordered_json& list() const { return list_; }

 private:
    nlohmann::ordered_json list_ = nlohmann::ordered_json::array();
    std::unordered_map<std::string, size_t> indices_;
};

}  // namespace

std::string page_tasks(const Program& program) {
    Texts cores, kernels;
    nlohmann::ordered_json tasks = nlohmann::ordered_json::array(),
                           dependencies = nlohmann::ordered_json::array();
    for (const Task& task : program.tasks)
        tasks.push_back({cores.index_of(ptosim::name(task.core)), kernels.index_of(task.kernel),
                         task.begin, task.end - task.begin,
                         task.id == kNoTask ? "" : task_name(task.id)});
    for (const Run& run : program.runs)
        for (const Arrow& arrow : arrows(program, run))
            dependencies.push_back({arrow.from, arrow.to});
    const nlohmann::ordered_json page{{"cores", cores.list()},
                                      {"kernels", kernels.list()},
                                      {"tasks", std::move(tasks)},
                                      {"dependencies", std::move(dependencies)}};
    return dump_json(page);
}

}  // namespace ptosim::mpmd
