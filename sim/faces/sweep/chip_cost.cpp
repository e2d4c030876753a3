#include "sim/faces/sweep/chip_cost.h"

#include <algorithm>
#include <cmath>

namespace ptosim::sweep {
namespace {

constexpr double kScale = 1000;  // of areas, energies, powers and ranges in parameters.def
constexpr double kLanes = 64;    // of 32 bits: a repeat of 256 bytes per cycle
constexpr std::array kBuffers{Space::kUB, Space::kL1, Space::kL0A, Space::kL0B, Space::kL0C};

double number(const ChipParameter& parameter) { return static_cast<double>(parameter.value()); }

Json ranged_json(double value, const ChipParameter& range) {
    const double factor = std::max(1.0, number(range) / kScale);
    return {value / factor, value, value * factor};
}

Ranged ranged(const Json& json, double times = 1) {
    Ranged result;
    for (size_t i = 0; i < 3; ++i) result.at[i] = json.at(i).get<double>() * times;
    return result;
}

void add(Ranged& sum, const Ranged& part) {
    for (size_t i = 0; i < 3; ++i) sum.at[i] += part.at[i];
}

struct Part {
    std::string name;
    Ranged energy;
};

// In pJ.
std::vector<Part> parts_of(const Row& row) {
    std::vector<Part> parts;
    const auto cost = row.facts.find("cost");
    if (row.status != "done" || cost == row.facts.end() || cost->is_null() || !row.result.contains("work")) return parts;
    const Json& work = row.result["work"];
    if (!work.contains("buffers")) return parts;
    // With sampled time the counts are of the simulated cycles.
    double times = 1;
    if (row.result.contains("sampled"))
        times = static_cast<double>(row.cycles) /
                std::max(1.0, row.result["sampled"].value("simulated_cycles", static_cast<double>(row.cycles)));
    const Json& energy = cost->at("energy");
    const auto put = [&](const std::string& name, const char* figure, double count) {
        parts.push_back({name, ranged(energy.at(figure), count * times)});
    };
    for (const auto& [space, use] : work["buffers"].items())
        if (energy.contains(space)) put(space, space.c_str(), use.value("moved", 0.0));
    put("L2", "l2", work.value("global_read_bytes", 0.0) + work.value("global_write_bytes", 0.0));
    put("HBM", "hbm", work["memory"].value("hbm_bytes", 0.0));
    put("products", "mac", work.value("multiply_adds_of_16_bits", 0.0));
    put("vector unit", "lane", work.value("vector_bytes", 0.0) / 4);
    parts.push_back({"instructions", ranged(energy.at("core"), row.result.value("instructions", 0.0))});
    const auto area = area_mm2(row);
    Ranged leakage = ranged(cost->at("leakage_mw"));
    for (size_t i = 0; i < 3; ++i) leakage.at[i] *= area->at[i] * row.time_us * 1e3;  // mW * us = 1e3 pJ
    parts.push_back({"leakage", leakage});
    return parts;
}

}  // namespace

Json cost_of(const ChipModel& chip) {
    const CostParameters& cost = chip.cost;
    if (cost.sram.area.value() == 0 || cost.l2.area.value() == 0) return nullptr;
    Ranged area;
    const auto add_area = [&](const PartCost& part, double count) {
        add(area, ranged(ranged_json(number(part.area) / kScale * count / 1e6, part.area_range)));
    };
    const double clusters = number(chip.clusters), aivs = number(chip.cluster.aivs);
    double kib = 0;
    Json energy = Json::object();
    for (const Space space : kBuffers) {
        const double size = number(chip.buffer_bytes[static_cast<size_t>(space)]) / 1024;
        kib += size * (space == Space::kUB ? aivs : 1);
        energy[std::string(name(space))] =
            ranged_json(number(cost.sram.energy) / kScale * std::sqrt(size / 64), cost.sram.energy_range);
    }
    add_area(cost.sram, kib * clusters);
    add_area(cost.l2, number(chip.memory.l2.bytes) / 1024);
    add_area(cost.hbm, number(chip.memory.hbm.rate) / 1e12);
    const double depth = number(chip.aic.cube.k_per_cycle[static_cast<size_t>(DType::kF16)]) / kScale;
    add_area(cost.mac, 256 * depth * clusters);
    add_area(cost.lane, kLanes * aivs * clusters);
    add_area(cost.core, (1 + aivs) * clusters);
    add(area, ranged(ranged_json(number(cost.rest) / kScale / 1e6, cost.rest_range)));
    const auto put = [&](const char* name, const PartCost& part) {
        energy[name] = ranged_json(number(part.energy) / kScale, part.energy_range);
    };
    put("l2", cost.l2);
    put("hbm", cost.hbm);
    put("mac", cost.mac);
    put("lane", cost.lane);
    put("core", cost.core);
    return {{"area_mm2", {area.at[0], area.at[1], area.at[2]}},
            {"energy", energy},
            {"leakage_mw", ranged_json(number(cost.leakage) / kScale, cost.leakage_range)}};
}

std::optional<Ranged> area_mm2(const Row& row) {
    const auto cost = row.facts.find("cost");
    if (cost == row.facts.end() || cost->is_null()) return std::nullopt;
    return ranged(cost->at("area_mm2"));
}

std::optional<Ranged> energy_uj(const Row& row) {
    const std::vector<Part> parts = parts_of(row);
    if (parts.empty()) return std::nullopt;
    Ranged sum;
    for (const Part& part : parts)
        for (size_t i = 0; i < 3; ++i) sum.at[i] += part.energy.at[i] / 1e6;
    return sum;
}

std::vector<std::pair<std::string, double>> energy_parts(const Row& row) {
    std::vector<std::pair<std::string, double>> result;
    for (const Part& part : parts_of(row)) result.emplace_back(part.name, part.energy.value() / 1e6);
    std::stable_sort(result.begin(), result.end(), [](const auto& a, const auto& b) { return a.second > b.second; });
    return result;
}

}  // namespace ptosim::sweep
