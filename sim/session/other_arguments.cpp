#include "sim/session/other_arguments.h"

#include <algorithm>
#include <set>

#include "isa/assembly/program/scalar_ops.h"

namespace ptosim {
namespace {

constexpr unsigned kMostSearchSeconds = 10;  // of a run, and of the search

bool is_integer_argument(const Parameter& parameter) {
    return parameter.kind == Parameter::Kind::kScalar && is_integer(parameter.dtype);
}

// Text such as "with rows = 0, n = 3".
std::string arguments_text(const Kernel& kernel, const std::vector<uint64_t>& given,
                           const std::vector<uint64_t>& chosen) {
    std::string text;
    for (size_t i = 0; i < chosen.size(); ++i) {
        if (chosen[i] == given[i]) continue;
        const Parameter& parameter = kernel.parameters()[i];
        const auto value =
            static_cast<int64_t>(assembly::wrap(chosen[i], bits(parameter.dtype)));
        text += (text.empty() ? "with " : ", ") + parameter.name + " = " + std::to_string(value);
    }
    return text;
}

}  // namespace

bool has_integer_arguments(const Kernel& kernel) {
    const auto parameters = kernel.parameters();
    return kernel.form() == KernelForm::kCode &&
           std::any_of(parameters.begin(), parameters.end(), is_integer_argument);
}

OtherArguments run_other_arguments(const PathBudget& budget, const Kernel& kernel,
                                   const std::vector<uint64_t>& arguments, uint32_t blocks,
                                   ForkedRuns& replays, const Scope& reached,
                                   std::vector<Diagnostic>& reported) {
    OtherArguments other;
    PathSummary& summary = other.summary;
    summary.budget = budget;
    std::set<std::pair<std::string, uint32_t>> lines;
    for (const Scope::Point& point : reached.points) lines.emplace(point.file, point.line);
    PathFindings findings(reported);
    // One more than the budget shows whether the budget was enough.
    const auto choices = replays.search_arguments(blocks, budget.runs + 1, kMostSearchSeconds);
    for (const std::vector<uint64_t>& choice : choices) {
        if (summary.runs >= budget.runs || summary.instructions >= budget.instructions) {
            summary.used_up = true;
            break;
        }
        ++summary.runs;
        // The arguments that move addresses are unknown, so all are assumed to.
        const auto run = replays.explore({choice, blocks, {}, true},
                                         budget.instructions - summary.instructions, kMostSearchSeconds);
        if (!run) continue;
        summary.instructions += run->instructions;
        const std::string with = arguments_text(kernel, arguments, choice);
        findings.add(run->findings, {with, false, true});
        const size_t before = summary.reached.size();
        for (const auto& [file, line] : run->lines)
            if (lines.emplace(file, line).second)
                summary.reached.push_back({file, line, "", with, false});
        if (summary.reached.size() == before) summary.reached.push_back({"", 0, "", with, false});
    }
    other.findings = findings.take();
    return other;
}

}  // namespace ptosim
