#include "sim/faces/mpmd/task_bounds.h"

#include <algorithm>
#include <map>
#include <tuple>

#include "sim/faces/mpmd/task_order.h"

namespace ptosim::mpmd {
namespace {

using Arguments = std::map<uint64_t, std::vector<const Argument*>>;  // by task

const Argument* tensor_at(const std::vector<const Argument*>& arguments, uint64_t address) {
    const auto found = std::find_if(arguments.begin(), arguments.end(), [address](const Argument* one) {
        return one->tensor_begin <= address && address < one->tensor_end;
    });
    return found == arguments.end() ? nullptr : *found;
}

// The tensor in which an access begins, if the access extends beyond it to bytes of no other tensor of the task.
const Argument* left_by(const TouchedBytes& bytes, const std::vector<const Argument*>& arguments) {
    const Argument* in = tensor_at(arguments, bytes.begin);
    while (in != nullptr && bytes.end > in->tensor_end) {
        const Argument* const next = tensor_at(arguments, in->tensor_end);
        if (next == nullptr) return in;
        in = next;
    }
    return nullptr;
}

Diagnostic beyond(const Task& task, const TouchedBytes& bytes, const Argument& argument, const SourceMap& sources,
                  KernelSites& sites) {
    Diagnostic d;
    d.code = "G14";
    d.category = Category::kUndefined;
    d.message = task.kernel + " (" + task_name(task.id) + ", " + ptosim::name(task.core) + ")" +
                (bytes.writes ? " writes " : " reads ") + bytes_text(argument.tensor_end, bytes.end) +
                ", after the end of " + sites.argument(task.kernel, argument.index) + ", which has " +
                std::to_string(argument.tensor_end - argument.tensor_begin) + " bytes";
    sources.locate(d, bytes.location);
    d.core = ptosim::name(task.core);
    d.hint = "keep the last tile inside the tensor (its offsets, its valid rows and columns), or make the tensor larger";
    return d;
}

}  // namespace

std::vector<Diagnostic> end_at_tensors(Program& program, const Run& run, const SourceMap& sources,
                                       KernelSites& sites) {
    Arguments arguments;
    for (const Argument& argument : run.arguments) arguments[argument.task].push_back(&argument);
    std::map<std::tuple<std::string, std::string, uint32_t>, Diagnostic> findings;
    for (size_t i = run.first_task; i < run.tasks_end; ++i) {
        Task& task = program.tasks[i];
        const auto own = arguments.find(task.id);
        if (own == arguments.end()) continue;
        for (TouchedBytes& bytes : task.touched) {
            const Argument* const argument = left_by(bytes, own->second);
            if (argument == nullptr) continue;
            Diagnostic found = beyond(task, bytes, *argument, sources, sites);
            bytes.end = argument->tensor_end;
            const auto [at, first] =
                findings.try_emplace({task.kernel, found.file, found.location.line}, std::move(found));
            if (!first) ++at->second.count;
        }
    }
    std::vector<Diagnostic> list;
    for (auto& [site, finding] : findings) list.push_back(std::move(finding));
    return list;
}

}  // namespace ptosim::mpmd
