// The table of changes from the base: each alone, all together, and their interaction.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "sim/faces/sweep/chip_cost.h"
#include "sim/faces/sweep/sweep_analysis.h"
#include "sim/files/json.h"

namespace ptosim::sweep {

struct ChangeRow {
    const Row* row = nullptr;
    std::string change;          // "base", "all", or the change
    double speed_up = 0;         // 0: no time
    double least = 0, most = 0;  // the speed-up if the saved time is off by the range of the times
    std::optional<Ranged> area, energy;              // mm2, uJ
    std::optional<Ranged> area_ratio, energy_ratio;  // to the base; both from the same ends of the figures
    std::string chosen;                              // parameters that the search chose
    std::string reason;
};

// One kernel at one combination of all other factors.
struct ChangeTable {
    std::string kernel;
    std::string context;  // "chip ascend910b1, QUERIES 2048"; empty if nothing else varies
    std::vector<ChangeRow> rows;
    double product = 0;   // of the speed-ups of single changes; 0: one lacks a time
    double together = 0;  // speed-up of all changes
    std::string interaction() const;
};

// `rows` must outlive the result. Empty if the plan has no changes.
std::vector<ChangeTable> change_tables(const std::vector<Row>& rows);
Json as_json(const ChangeTable& table);

// Indexes of points that no other point of the kernel beats in time, area and energy, by time; empty without areas.
std::vector<size_t> cost_front(const std::vector<Row>& rows, const std::string& kernel);

// "1.23 (1.1-1.4)", with the ends if they differ.
std::string ranged_text(const Ranged& value, int digits);

}  // namespace ptosim::sweep
