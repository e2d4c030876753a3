#include "sim/faces/sweep/sweep_analysis.h"

#include <algorithm>
#include <map>
#include <set>

#include "sim/files/json.h"

namespace ptosim::sweep {
namespace {

// Changes have a table of their own.
bool is_factor(const std::string& name) { return name != "kernel" && name != "change"; }

bool done(const Row& row) { return row.status == "done"; }

double median_of(std::vector<double> values) {
    std::sort(values.begin(), values.end());
    const size_t half = values.size() / 2;
    return values.size() % 2 == 1 ? values[half] : (values[half - 1] + values[half]) / 2;
}

}  // namespace

std::string coordinate(const Row& row, const std::string& factor) {
    const auto found = row.coordinates.find(factor);
    if (found == row.coordinates.end()) return "";
    return found->is_string() ? found->get<std::string>() : dump_json(*found);
}

std::optional<Bounds> bounds_of(const Row& row) {
    if (!row.result.contains("work")) return std::nullopt;
    const Json& work = row.result["work"];
    return Bounds{work.value("compute_cycles", uint64_t{0}),
                  work.value("bandwidth_cycles", uint64_t{0}),
                  work.value("occupancy_cycles", uint64_t{0})};
}

double range_percent_of(const Row& row) {
    if (!row.result.contains("time_basis")) return 0;
    return row.result["time_basis"].value("range_percent", 0.0);
}

std::vector<std::pair<std::string, Analysis>> Analysis::by_chip() const {
    std::vector<std::pair<std::string, Analysis>> result;
    if (std::find(factors_.begin(), factors_.end(), "chip") == factors_.end()) return result;
    std::vector<std::pair<std::string, std::vector<Row>>> groups;
    for (const Row& row : rows_) {
        const std::string chip = coordinate(row, "chip");
        auto group = std::find_if(groups.begin(), groups.end(),
                                  [&](const auto& g) { return g.first == chip; });
        if (group == groups.end()) group = groups.insert(group, {chip, {}});
        group->second.push_back(row);
    }
    for (auto& [chip, rows] : groups) result.emplace_back(chip, Analysis(std::move(rows)));
    return result;
}

Analysis::Analysis(std::vector<Row> rows) : rows_(std::move(rows)) {
    std::vector<std::string> names;
    std::map<std::string, std::set<std::string>> values;
    for (const Row& row : rows_) {
        const std::string kernel = coordinate(row, "kernel");
        if (std::find(kernels_.begin(), kernels_.end(), kernel) == kernels_.end())
            kernels_.push_back(kernel);
        for (const auto& [name, value] : row.coordinates.items()) {
            if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
            values[name].insert(coordinate(row, name));
        }
    }
    for (const std::string& name : names)
        if (values[name].size() > 1) factors_.push_back(name);  // also "change"
}

std::vector<size_t> Analysis::pareto(const std::string& kernel) const {
    std::vector<size_t> order;
    for (size_t i = 0; i < rows_.size(); ++i)
        if (done(rows_[i]) && coordinate(rows_[i], "kernel") == kernel) order.push_back(i);
    std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) {
        return std::pair(rows_[a].chip_bytes, rows_[a].time_us) <
               std::pair(rows_[b].chip_bytes, rows_[b].time_us);
    });
    std::vector<size_t> front;
    for (size_t i : order)
        if (front.empty() || rows_[i].time_us < rows_[front.back()].time_us) front.push_back(i);
    return front;
}

// In the order of the plan.
std::vector<std::string> Analysis::values_of(const std::string& kernel,
                                             const std::string& factor) const {
    std::vector<std::string> values;
    for (const Row& row : rows_) {
        const std::string value = coordinate(row, factor);
        if (coordinate(row, "kernel") == kernel && !value.empty() &&
            std::find(values.begin(), values.end(), value) == values.end())
            values.push_back(value);
    }
    return values;
}

std::vector<Sensitivity> Analysis::sensitivities() const {
    std::vector<Sensitivity> result;
    for (const std::string& kernel : kernels_)
        for (const std::string& factor : factors_) {
            if (!is_factor(factor)) continue;
            // Rows that differ in this factor only.
            std::map<std::string, std::vector<const Row*>> groups;
            for (const Row& row : rows_) {
                if (!done(row) || coordinate(row, "kernel") != kernel) continue;
                Json others = row.coordinates;
                if (others.erase(factor) > 0) groups[dump_json(others)].push_back(&row);
            }
            std::vector<double> ratios;
            std::map<std::string, size_t> wins;
            for (const auto& [others, rows] : groups) {
                if (rows.size() < 2) continue;
                const auto [fast, slow] = std::minmax_element(
                    rows.begin(), rows.end(),
                    [](const Row* a, const Row* b) { return a->time_us < b->time_us; });
                ratios.push_back((*slow)->time_us / (*fast)->time_us);
                ++wins[coordinate(**fast, factor)];
            }
            if (ratios.empty()) continue;
            Sensitivity s{kernel, factor, ratios.size(), 1, 1, ""};
            s.largest = *std::max_element(ratios.begin(), ratios.end());
            s.median = median_of(ratios);
            size_t most = 0;
            for (const std::string& value : values_of(kernel, factor))
                if (wins[value] > most) {
                    most = wins[value];
                    s.best = value;
                }
            result.push_back(s);
        }
    std::stable_sort(result.begin(), result.end(), [](const Sensitivity& a, const Sensitivity& b) {
        return std::pair(a.median, a.largest) > std::pair(b.median, b.largest);
    });
    return result;
}

std::vector<Analysis::Best> Analysis::best_by(const std::string& kernel,
                                              const std::string& factor) const {
    std::vector<Best> result;
    for (const std::string& value : values_of(kernel, factor)) {
        double best = 0;
        for (const Row& row : rows_)
            if (done(row) && coordinate(row, "kernel") == kernel &&
                coordinate(row, factor) == value && (best == 0 || row.time_us < best))
                best = row.time_us;
        if (best > 0) result.push_back({value, best});
    }
    return result;
}

bool Analysis::matters(const std::string& kernel, const std::string& factor) const {
    // Only parameters of a chip, which its designer chooses, have a path.
    if (factor.find('.') == std::string::npos) return false;
    const auto best = best_by(kernel, factor);
    return std::any_of(best.begin(), best.end(), [&](const Best& one) {
        return one.time_us > 1.0005 * best.front().time_us ||
               best.front().time_us > 1.0005 * one.time_us;
    });
}

std::vector<std::pair<std::string, std::string>> Analysis::pairs(const std::string& kernel) const {
    std::vector<std::string> names;
    for (const std::string& factor : factors_)
        if (matters(kernel, factor)) names.push_back(factor);
    std::vector<std::pair<std::string, std::string>> result;
    for (size_t i = 0; i < names.size(); ++i)
        for (size_t j = i + 1; j < names.size(); ++j) result.emplace_back(names[i], names[j]);
    return result;
}

Analysis::Grid Analysis::best_by(const std::string& kernel, const std::string& down,
                                 const std::string& across) const {
    Grid grid{values_of(kernel, down), values_of(kernel, across), {}};
    for (const std::string& row_value : grid.down) {
        std::vector<double>& times = grid.time_us.emplace_back();
        for (const std::string& value : grid.across) {
            double& best = times.emplace_back(0);
            for (const Row& row : rows_)
                if (done(row) && coordinate(row, "kernel") == kernel &&
                    coordinate(row, down) == row_value && coordinate(row, across) == value &&
                    (best == 0 || row.time_us < best))
                    best = row.time_us;
        }
    }
    return grid;
}

}  // namespace ptosim::sweep
