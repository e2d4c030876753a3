// Figures of the hardware in a plan: the changes that a point has, and checks of all figures before a run.
#include <algorithm>
#include <map>

#include "isa/core/diagnostic.h"
#include "sim/faces/sweep/plan.h"
#include "sim/machine/model/parameters.h"

namespace ptosim::sweep {

Hardware Plan::hardware_of(const Point& point) const {
    Hardware hardware{folder_, point.chip, point.kernel->system, {}};
    for (const auto& [path, value] : point.sets) hardware.overrides.push_back(path + "=" + value);
    return hardware;
}

// Checks that every chip exists and accepts every value of every parameter individually.
void Plan::check_chips() const {
    for (size_t i = 0; i < chips_.size(); ++i)
        for (const PlanKernel& kernel : kernels_) {
            const auto check_with = [&](const std::string& where, const std::vector<std::string>& overrides) {
                try {
                    check({folder_, chips_[i], kernel.system, overrides});
                } catch (const DiagnosticError& error) {
                    const Diagnostic& d = error.diagnostics().front();
                    fail_input("I51", "plan " + file_ + ": " + where + ": " + d.message, d.hint);
                }
            };
            check_with("chips[" + std::to_string(i) + "]", {});
            for (const Axis& axis : sets_)
                for (const std::string& value : axis.values) check_with("set." + axis.name, {axis.name + "=" + value});
        }
}

// Adds the figures of a change to a point: 0 is the base, one more than the number of changes is all of them.
void Plan::apply_change(Point& point, size_t number) const {
    if (changes_.empty()) return;
    point.change = number == 0 ? kBase : kAllChanges;
    Json& paths = point.facts["paths"] = Json::object();
    if (number == 0) return;
    const Hardware before_changes = hardware_of(point);
    std::string hardware_key = point.chip + "\n" + point.kernel->system;
    for (const std::string& word : before_changes.overrides) hardware_key += "\n" + word;
    for (size_t i = 0; i < changes_.size(); ++i) {
        if (number != i + 1 && number <= changes_.size()) continue;
        std::string name = changes_[i].name, made;
        for (const auto& [path, value] : changes_[i].figures) {
            const std::string key = hardware_key + "\n" + path + "=" + value;
            auto cached = figure_cache_.find(key);
            if (cached == figure_cache_.end())
                cached = figure_cache_.emplace(key, changed_figure(before_changes, path, value)).first;
            const auto& [figure, before] = cached->second;
            paths[path] = {{"from", before}, {"to", figure}};
            const auto same = std::find_if(point.sets.begin(), point.sets.end(), [&, p = path](const auto& set) { return set.first == p; });
            if (same == point.sets.end())
                point.sets.emplace_back(path, figure);
            else
                same->second = figure;
            made += (made.empty() ? "" : ", ") + path + "=" + figure;
        }
        if (number == i + 1) point.change = name.empty() ? made : name;
    }
}

size_t Plan::rows_of_changes() const {
    std::map<std::string, std::string> values;
    bool join = changes_.size() > 1;
    for (const Change& change : changes_)
        for (const auto& [path, value] : change.figures)
            if (const auto [at, added] = values.emplace(path, value); !added && at->second != value) join = false;
    return 1 + changes_.size() + (join ? 1 : 0);
}

void Plan::check_changes() const {
    for (const std::string& chip : chips_)
        for (const PlanKernel& kernel : kernels_)
            for (size_t i = 0; i < changes_.size(); ++i) {
                const std::string where = "changes[" + std::to_string(i) + "]";
                for (const auto& [path, value] : changes_[i].figures) {
                    if (is_of_system(path) || parameter_row(path) != nullptr) continue;
                    std::vector<std::string_view> paths;
                    for (const ParameterRow& row : parameter_rows()) paths.push_back(row.path);
                    const std::string near = closest(path, paths);
                    fail_input("I51", "plan " + file_ + ": " + where + ": no parameter of a chip is named '" + path + "'",
                               near.empty() ? "'ptosim chips NAME' lists the parameters" : "did you mean '" + near + "'?");
                }
                Point point;
                point.kernel = &kernel;
                point.chip = chip;
                for (const Axis& axis : sets_) point.sets.emplace_back(axis.name, axis.values.front());
                try {
                    // Before factors are looked up: a path of a system needs one.
                    for (const auto& [path, value] : changes_[i].figures)
                        if (is_of_system(path) && kernel.system.empty()) check({folder_, chip, {}, {path + "=" + value}});
                    apply_change(point, i + 1);
                    check(hardware_of(point));
                } catch (const DiagnosticError& error) {
                    const Diagnostic& d = error.diagnostics().front();
                    fail_input("I51", "plan " + file_ + ": " + where + ": " + d.message, d.hint);
                }
            }
}

}  // namespace ptosim::sweep
