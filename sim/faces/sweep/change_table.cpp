#include "sim/faces/sweep/change_table.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "sim/faces/sweep/reasons.h"
#include "sim/files/fixed.h"

namespace ptosim::sweep {
namespace {

// The area and the energy of a part belong to one figure, so that both ends of a ratio use the same end of it.
std::optional<Ranged> ratio_of(const std::optional<Ranged>& now, const std::optional<Ranged>& before) {
    if (!now || !before || before->least() <= 0) return std::nullopt;
    std::array<double, 3> at{};
    for (size_t i = 0; i < 3; ++i) at[i] = now->at[i] / before->at[i];
    const double stated = at[1];
    std::sort(at.begin(), at.end());
    return Ranged{{at[0], stated, at[2]}};
}

void set_speed_up(ChangeRow& one, const Row& base) {
    if (one.row->status != "done" || base.status != "done" || one.row->time_us <= 0) return;
    one.speed_up = base.time_us / one.row->time_us;
    // The times of both runs are off alike; the range applies to the saved time.
    const double range = std::max(range_percent_of(base), range_percent_of(*one.row)) / 100;
    const double saved = base.time_us - one.row->time_us;
    const double a = base.time_us / (base.time_us - saved * (1 - range));
    const double b = base.time_us / std::max(base.time_us * 0.01, base.time_us - saved * (1 + range));
    one.least = std::min(a, b);
    one.most = std::max(a, b);
}

std::string chosen_text(const Row& row) {
    std::string text;
    if (row.facts.contains("chosen"))
        for (const auto& [name, value] : row.facts["chosen"].items())
            text += (text.empty() ? "" : ", ") + name + "=" + dump_json(value);
    return text;
}

Json ranged_json(const Ranged& value) { return {value.least(), value.value(), value.most()}; }

}  // namespace

std::string ranged_text(const Ranged& value, int digits) {
    std::string text = fixed(value.value(), digits);
    const std::string least = fixed(value.least(), digits), most = fixed(value.most(), digits);
    return least == text && most == text ? text : text + " (" + least + "-" + most + ")";
}

std::string ChangeTable::interaction() const {
    if (product <= 0 || together <= 0) return {};
    const double factor = together / product;
    std::string text = "together " + fixed(together, 3) + " times as fast; the changes alone multiply to " + fixed(product, 3) + ": they ";
    if (std::abs(factor - 1) < 0.005) return text + "do not influence each other";
    return text + (factor > 1 ? "help" : "hinder") + " each other by a factor of " + fixed(factor, 3);
}

std::vector<ChangeTable> change_tables(const std::vector<Row>& rows) {
    std::vector<ChangeTable> tables;
    std::map<std::string, size_t> by_others;
    std::map<std::string, std::vector<std::string>> values;
    for (const Row& row : rows)
        for (const auto& [name, value] : row.coordinates.items()) {
            auto& known = values[name];
            if (std::find(known.begin(), known.end(), coordinate(row, name)) == known.end())
                known.push_back(coordinate(row, name));
        }
    for (const Row& row : rows) {
        const std::string change = coordinate(row, "change");
        if (change.empty()) continue;
        Json others = row.coordinates;
        others.erase("change");
        const auto [at, added] = by_others.try_emplace(dump_json(others), tables.size());
        if (added) {
            ChangeTable& table = tables.emplace_back();
            table.kernel = coordinate(row, "kernel");
            for (const auto& [name, value] : others.items())
                if (name != "kernel" && (values[name].size() > 1 || name == "chip"))
                    table.context += (table.context.empty() ? "" : ", ") + (name == "chip" ? "" : name + " ") + coordinate(row, name);
        }
        ChangeRow one;
        one.row = &row;
        one.change = change;
        tables[at->second].rows.push_back(std::move(one));
    }
    for (ChangeTable& table : tables) {
        // The base comes first in every plan.
        const Row& base = *table.rows.front().row;
        double product = 1;
        for (ChangeRow& one : table.rows) {
            set_speed_up(one, base);
            one.area = area_mm2(*one.row);
            one.energy = energy_uj(*one.row);
            one.area_ratio = ratio_of(one.area, area_mm2(base));
            one.energy_ratio = ratio_of(one.energy, energy_uj(base));
            one.chosen = chosen_text(*one.row);
            one.reason = reason_of(base, *one.row);
            if (one.change == kAllChanges)
                table.together = one.speed_up;
            else if (one.change != kBase)
                product *= one.speed_up;
        }
        table.product = table.together > 0 ? product : 0;
    }
    return tables;
}

Json as_json(const ChangeTable& table) {
    Json json{{"kernel", table.kernel}, {"context", table.context}, {"rows", Json::array()}};
    for (const ChangeRow& one : table.rows) {
        Json row{{"change", one.change}, {"status", one.row->status}, {"reason", one.reason}};
        if (one.row->facts.contains("paths")) row["figures"] = one.row->facts["paths"];
        if (one.row->facts.contains("chosen")) row["chosen"] = one.row->facts["chosen"];
        if (one.speed_up > 0) {
            row["cycles"] = one.row->cycles;
            row["time_us"] = one.row->time_us;
            row["speed_up"] = one.speed_up;
            row["speed_up_range"] = {one.least, one.most};
        }
        if (one.area) row["area_mm2"] = ranged_json(*one.area);
        if (one.energy) row["energy_uj"] = ranged_json(*one.energy);
        if (one.area_ratio) row["area_ratio"] = ranged_json(*one.area_ratio);
        if (one.energy_ratio) row["energy_ratio"] = ranged_json(*one.energy_ratio);
        json["rows"].push_back(std::move(row));
    }
    if (table.product > 0) {
        json["together"] = table.together;
        json["product"] = table.product;
        json["interaction"] = table.together / table.product;
    }
    return json;
}

std::vector<size_t> cost_front(const std::vector<Row>& rows, const std::string& kernel) {
    struct Entry {
        size_t index;
        std::array<double, 3> cost;  // time, area, energy
    };
    std::vector<Entry> entries;
    for (size_t i = 0; i < rows.size(); ++i) {
        const auto area = area_mm2(rows[i]), energy = energy_uj(rows[i]);
        if (rows[i].status == "done" && coordinate(rows[i], "kernel") == kernel && area && energy)
            entries.push_back({i, {rows[i].time_us, area->value(), energy->value()}});
    }
    std::vector<size_t> front;
    std::stable_sort(entries.begin(), entries.end(), [](const Entry& a, const Entry& b) { return a.cost < b.cost; });
    for (const Entry& one : entries) {
        const bool beaten = std::any_of(entries.begin(), entries.end(), [&](const Entry& other) {
            bool less = false;
            for (size_t i = 0; i < 3; ++i) {
                if (other.cost[i] > one.cost[i]) return false;
                less = less || other.cost[i] < one.cost[i];
            }
            return less || other.index < one.index;  // of equal points the first
        });
        if (!beaten) front.push_back(one.index);
    }
    return front;
}

}  // namespace ptosim::sweep
