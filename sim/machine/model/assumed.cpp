#include "sim/machine/model/assumed.h"

#include <algorithm>

#include "sim/machine/model/parameters.h"

namespace ptosim {

std::vector<std::string> assumed_figures(const ChipModel& chip, const ParametersRead& read) {
    std::vector<std::string> found;
    uint16_t number = 0;
    for (const ParameterRow& row : parameter_rows()) {
        if (!read.contains(++number)) continue;
        const ChipModel::Provenance& stated = chip.provenance[number - 1u];
        if (!stated.value.empty() && stated.grade == TimeGrade::kAssumed)
            found.push_back(row.path);
    }
    std::sort(found.begin(), found.end());
    return found;
}

std::string assumed_text(const std::vector<std::string>& paths) {
    constexpr size_t kShown = 5;
    if (paths.empty()) return {};
    std::string text = "rests on " + std::to_string(paths.size()) + " assumed figure" +
                       (paths.size() == 1 ? "" : "s") + ": ";
    for (size_t i = 0; i < std::min(kShown, paths.size()); ++i)
        text += (i > 0 ? ", " : "") + paths[i];
    if (paths.size() > kShown) text += ", ... (all of them: --json)";
    return text + "\n";
}

}  // namespace ptosim
