#include "sim/faces/sweep/report.h"

#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <map>

#include "sim/faces/sweep/change_table.h"
#include "sim/faces/sweep/pictures.h"
#include "sim/faces/sweep/plots.h"
#include "sim/files/escape_xml.h"
#include "sim/files/files.h"
#include "sim/files/fixed.h"
#include "sim/files/json.h"

namespace ptosim::sweep {
namespace {

using Table = std::vector<std::vector<std::string>>;

std::string mebibytes(uint64_t bytes) { return fixed(static_cast<double>(bytes) / 1048576.0, 2); }

std::string percent(uint64_t part, uint64_t whole) {
    return whole == 0 ? ""
                      : fixed(100.0 * static_cast<double>(part) / static_cast<double>(whole), 1);
}

size_t width_of(const std::string& text) {
    return static_cast<size_t>(std::count_if(text.begin(), text.end(), [](char c) {
        return (static_cast<unsigned char>(c) & 0xC0) != 0x80;
    }));
}

// Columns padded to their widths; the first row is a heading.
std::string text_table(const Table& table) {
    std::vector<size_t> widths(table.empty() ? 0 : table[0].size());
    for (const auto& row : table)
        for (size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], width_of(row[i]));
    std::string result;
    for (const auto& row : table) {
        std::string line = " ";
        for (size_t i = 0; i < row.size(); ++i)
            line += " " + row[i] + std::string(widths[i] - width_of(row[i]) + 1, ' ');
        result += line.substr(0, line.find_last_not_of(' ') + 1) + "\n";
    }
    return result;
}

bool has_choices(const Analysis& analysis) {
    return std::any_of(analysis.rows().begin(), analysis.rows().end(), [](const Row& row) { return row.facts.contains("chosen"); });
}

// The parameters that a search chose.
std::string choice_of(const Row& row) {
    std::string text;
    if (row.facts.contains("chosen"))
        for (const auto& [name, value] : row.facts["chosen"].items()) text += (text.empty() ? "" : " ") + name + "=" + dump_json(value);
    return text;
}

std::vector<std::string> headings(const Analysis& analysis) {
    std::vector<std::string> row = analysis.factors();
    row.insert(row.end(),
               {"cycles", "time us", "+- %", "on-chip MiB", "compute %", "bandwidth %", "pipe %"});
    if (has_choices(analysis)) row.push_back("chosen");
    return row;
}

// Bounds are shown as shares of the simulated time.
std::vector<std::string> cells(const Analysis& analysis, const Row& row) {
    std::vector<std::string> result;
    for (const std::string& factor : analysis.factors()) result.push_back(coordinate(row, factor));
    const double range = range_percent_of(row);
    result.insert(result.end(), {std::to_string(row.cycles), fixed(row.time_us, 3),
                                 range > 0 ? fixed(range, 1) : "", mebibytes(row.chip_bytes)});
    const auto bounds = bounds_of(row);
    for (uint64_t bound : {bounds ? bounds->compute : 0, bounds ? bounds->bandwidth : 0,
                           bounds ? bounds->occupancy : 0})
        result.push_back(bounds ? percent(bound, row.cycles) : "");
    if (has_choices(analysis)) result.push_back(choice_of(row));
    return result;
}

const Row* fastest(const Analysis& analysis, const std::string& kernel) {
    const Row* best = nullptr;
    for (const Row& row : analysis.rows())
        if (row.status == "done" && coordinate(row, "kernel") == kernel &&
            (best == nullptr || row.time_us < best->time_us))
            best = &row;
    return best;
}

// The fastest point of each kernel on each chip.
Table fastest_table(const Analysis& analysis) {
    Table table{headings(analysis)};
    const auto chips = analysis.by_chip();
    for (const std::string& kernel : analysis.kernels()) {
        for (const auto& [chip, of_chip] : chips)
            if (const Row* row = fastest(of_chip, kernel)) table.push_back(cells(analysis, *row));
        const Row* row = chips.empty() ? fastest(analysis, kernel) : nullptr;
        if (row != nullptr) table.push_back(cells(analysis, *row));
    }
    return table;
}

Table pareto_table(const Analysis& analysis) {
    Table table{headings(analysis)};
    for (const std::string& kernel : analysis.kernels())
        for (size_t i : analysis.pareto(kernel))
            table.push_back(cells(analysis, analysis.rows()[i]));
    return table;
}

Table sensitivity_table(const Analysis& analysis) {
    Table table{{"kernel", "factor", "slowest/fastest, median", "largest", "most often fastest",
                 "comparisons"}};
    for (const Sensitivity& s : analysis.sensitivities())
        table.push_back({s.kernel, s.factor, fixed(s.median, 3), fixed(s.largest, 3), s.best,
                         std::to_string(s.comparisons)});
    return table;
}

// The effect of a factor if the kernel is retiled for each value. Factors without effect are omitted.
Table free_table(const Analysis& analysis) {
    Table table{
        {"kernel", "factor", "fastest time with each value, relative to the fastest of all"}};
    for (const std::string& kernel : analysis.kernels())
        for (const std::string& factor : analysis.factors()) {
            const auto best = analysis.best_by(kernel, factor);
            if (factor == "kernel" || factor == "change" || best.size() < 2) continue;
            const auto [least, most] = std::minmax_element(
                best.begin(), best.end(),
                [](const auto& a, const auto& b) { return a.time_us < b.time_us; });
            if (fixed(most->time_us / least->time_us, 3) == "1.000") continue;
            std::string values;
            for (const auto& b : best)
                values += (values.empty() ? "" : ", ") + b.value + " " +
                          fixed(b.time_us / least->time_us, 3);
            table.push_back({kernel, factor, values});
        }
    return table;
}

// The joint effect of two parameters of the chip: one may have no effect without the other.
Table grid_table(const Analysis& analysis, const std::string& kernel, const std::string& down,
                 const std::string& across) {
    const Analysis::Grid grid = analysis.best_by(kernel, down, across);
    Table table{{down + " \\ " + across}};
    table[0].insert(table[0].end(), grid.across.begin(), grid.across.end());
    for (size_t i = 0; i < grid.down.size(); ++i) {
        auto& row = table.emplace_back(1, grid.down[i]);
        for (double time_us : grid.time_us[i]) row.push_back(time_us > 0 ? fixed(time_us, 3) : "-");
    }
    return table;
}

// Points without a time, grouped by error.
Table trouble_table(const Analysis& analysis) {
    std::vector<std::pair<std::pair<std::string, std::string>, size_t>> counts;
    for (const Row& row : analysis.rows()) {
        if (row.status == "done") continue;
        const std::pair what{row.status, row.message};
        auto found = std::find_if(counts.begin(), counts.end(),
                                  [&](const auto& c) { return c.first == what; });
        if (found == counts.end()) found = counts.insert(found, {what, 0});
        ++found->second;
    }
    std::stable_sort(counts.begin(), counts.end(),
                     [](const auto& a, const auto& b) { return a.second > b.second; });
    Table table{{"points", "", "why"}};
    for (const auto& [what, count] : counts)
        table.push_back({std::to_string(count), what.first, what.second});
    return table;
}

// Warnings of the points' runs.
Table warnings_table(const Analysis& analysis) {
    std::map<std::string, size_t> counts;
    for (const Row& row : analysis.rows()) {
        if (!row.result.contains("warnings")) continue;  // points without a result have none
        for (const auto& warning : row.result["warnings"]) ++counts[warning.get<std::string>()];
    }
    Table table{{"points", "warning"}};
    for (const auto& [warning, count] : counts) table.push_back({std::to_string(count), warning});
    return table;
}

// The number of points that depend on each assumed parameter.
std::map<std::string, size_t> assumed_by(const Analysis& analysis) {
    std::map<std::string, size_t> counts;
    for (const Row& row : analysis.rows()) {
        if (row.status != "done") continue;
        for (const auto& path : row.result.value("assumed", Json::array()))
            ++counts[path.get<std::string>()];
    }
    return counts;
}

Table assumed_table(const Analysis& analysis) {
    Table table{{"points", "parameter"}};
    for (const auto& [path, count] : assumed_by(analysis))
        table.push_back({std::to_string(count), path});
    return table;
}

std::string counts_text(const Analysis& analysis) {
    size_t done = 0, failed = 0, skipped = 0, missing = 0;
    for (const Row& row : analysis.rows()) {
        done += row.status == "done" ? 1 : 0;
        failed += row.status == "failed" ? 1 : 0;
        skipped += row.status == "skipped" ? 1 : 0;
        missing += row.status == "missing" ? 1 : 0;
    }
    return std::to_string(analysis.rows().size()) + " points: " + std::to_string(done) + " done, " +
           std::to_string(failed) + " failed, " + std::to_string(skipped) + " skipped, " +
           std::to_string(missing) + " missing";
}

struct Section {
    std::string title;
    std::string note;
    Table table;
    enum class Place : uint8_t { kAnswer, kTable, kDetail } place = Place::kTable;  // plots follow the answers on a page
};

std::string change_text(const Trend::Line& line) {
    if (line.last == 0) return "no time";
    if (line.before == 0) return "new";
    if (line.last == line.before) return "the same";
    return (line.change() > 0 ? "+" : "") + fixed(100 * line.change(), 1) + " %";
}

// Removes columns without a value in any row.
void drop_empty_columns(Table& table) {
    for (size_t column = table[0].size(); column-- > 0;)
        if (std::all_of(table.begin() + 1, table.end(), [&](const auto& row) { return row[column].empty(); }) && table.size() > 1)
            for (auto& row : table) row.erase(row.begin() + static_cast<std::ptrdiff_t>(column));
}

Table change_table(const ChangeTable& changes) {
    Table table{{"change", "cycles", "time us", "speed-up", "range", "area mm2", "area x", "energy uJ", "energy x", "chosen"}};
    for (const ChangeRow& one : changes.rows) {
        const bool done = one.speed_up > 0;
        table.push_back({one.change, done ? std::to_string(one.row->cycles) : one.row->status, done ? fixed(one.row->time_us, 2) : "",
                         done ? fixed(one.speed_up, 3) : "", done && one.change != kBase ? fixed(one.least, 3) + "-" + fixed(one.most, 3) : "",
                         one.area ? ranged_text(*one.area, 0) : "", one.area_ratio ? ranged_text(*one.area_ratio, 3) : "",
                         one.energy ? ranged_text(*one.energy, 0) : "", one.energy_ratio ? ranged_text(*one.energy_ratio, 3) : "",
                         one.chosen});
    }
    drop_empty_columns(table);
    return table;
}

Table reason_table(const ChangeTable& changes) {
    Table table{{"change", "why"}};
    for (const ChangeRow& one : changes.rows)
        if (!one.reason.empty()) table.push_back({one.change, one.reason});
    if (const std::string text = changes.interaction(); !text.empty()) table.push_back({"interaction", text});
    return table;
}

Table cost_table(const Analysis& analysis) {
    Table table{analysis.factors()};
    table[0].insert(table[0].end(), {"time us", "area mm2", "energy uJ", "most energy", "chosen"});
    for (const std::string& kernel : analysis.kernels())
        for (const size_t i : cost_front(analysis.rows(), kernel)) {
            const Row& row = analysis.rows()[i];
            std::vector<std::string> cells;
            for (const std::string& factor : analysis.factors()) cells.push_back(coordinate(row, factor));
            std::string parts;
            const auto all = energy_parts(row);
            double sum = 0;
            for (const auto& [name, energy] : all) sum += energy;
            for (size_t part = 0; part < std::min<size_t>(3, all.size()); ++part)
                parts += (part == 0 ? "" : ", ") + all[part].first + " " + fixed(100 * all[part].second / sum, 0) + " %";
            cells.insert(cells.end(), {fixed(row.time_us, 3), ranged_text(*area_mm2(row), 0), ranged_text(*energy_uj(row), 0), parts, choice_of(row)});
            table.push_back(std::move(cells));
        }
    drop_empty_columns(table);
    return table;
}

// Points that the last run has changed, the slower ones first; all of them for the page.
Table trend_table(const Trend& trend, bool all) {
    Table table{{"point", "before", "now", "change", "best of all runs"}};
    const auto text = [](uint64_t cycles) { return cycles == 0 ? "" : std::to_string(cycles); };
    for (const Trend::Line& line : trend.lines())
        if (all || line.last != line.before)
            table.push_back({line.name, text(line.before), text(line.last), change_text(line),
                             text(line.best)});
    return table;
}

// Text such as "4 runs, 2026-... (v1) to 2026-... (v4): 3 points slower, ...".
std::string trend_text(const Trend& trend) {
    size_t slower = 0, faster = 0, same = 0;
    for (const Trend::Line& line : trend.lines()) {
        if (line.last == 0 || line.before == 0) continue;
        slower += line.last > line.before ? 1 : 0;
        faster += line.last < line.before ? 1 : 0;
        same += line.last == line.before ? 1 : 0;
    }
    const LabelledRun& last = trend.runs().back();
    std::string text = std::to_string(trend.runs().size()) +
                       (trend.runs().size() == 1 ? " run, " : " runs, the last is ") + last.label +
                       " (" + last.at + " UTC)";
    if (slower + faster + same > 0)
        text += ": since the previous run " + std::to_string(slower) + " points slower, " +
                std::to_string(faster) + " faster, " + std::to_string(same) + " the same";
    const double mean = trend.means().back();
    if (trend.runs().size() > 1 && mean > 0)
        text += "; cycles are " + fixed(mean, 4) + " times those of " + trend.runs().front().label +
                " (geometric mean)";
    return text;
}

std::vector<Section> sections(const Analysis& analysis) {
    std::vector<Section> result;
    for (const ChangeTable& changes : change_tables(analysis.rows())) {
        const std::string of = changes.kernel + (changes.context.empty() ? "" : ", " + changes.context);
        result.push_back({"Changes from the base: " + of,
                          "in brackets: the ends of the figures' ranges; range: if the saved time is off by the range of the times",
                          change_table(changes), Section::Place::kAnswer});
        result.push_back({"Why: " + of, "", reason_table(changes), Section::Place::kAnswer});
    }
    result.push_back({"Fastest points",
                      "+- %: uncertainty of the time; compute, bandwidth and pipe: lower bounds as shares of the time",
                      fastest_table(analysis)});
    result.push_back({"What each value is worth", "all other factors free, as after retiling",
                      free_table(analysis)});
    for (const auto& [chip, of_chip] : analysis.by_chip())
        result.push_back({"What each value is worth on " + chip,
                          "all other factors free, as after retiling", free_table(of_chip)});
    for (const std::string& kernel : analysis.kernels())
        for (const auto& [down, across] : analysis.pairs(kernel))
            result.push_back({"Fastest time of " + kernel + " in us",
                              "two values fixed, all other factors free",
                              grid_table(analysis, kernel, down, across)});
    result.push_back({"What the time depends on",
                      "one factor of the plan varied, all others fixed; parameters that a kernel derives from the chip "
                      "follow it",
                      sensitivity_table(analysis)});
    result.push_back(
        {"Pareto front", "no other point is faster with fewer on-chip bytes", pareto_table(analysis)});
    result.push_back({"Time, area and energy", "points that no other beats in all three; in brackets: the ends of the figures' ranges",
                      cost_table(analysis)});
    result.push_back({"Points without a time", "", trouble_table(analysis), Section::Place::kDetail});
    result.push_back({"Warnings", "", warnings_table(analysis), Section::Place::kDetail});
    result.push_back({"Assumed figures of the chips", "a time is only as accurate as the figures that it uses",
                      assumed_table(analysis), Section::Place::kDetail});
    std::erase_if(result, [](const Section& section) { return section.table.size() < 2; });
    return result;
}

std::string csv_cell(const std::string& text) {
    if (text.find_first_of(",\"\n") == std::string::npos) return text;
    std::string result = "\"";
    for (char c : text) result += c == '"' ? std::string("\"\"") : std::string(1, c);
    return result + "\"";
}

std::string html_table(const Table& table) {
    std::string html = "<div class=wide><table>\n";
    for (size_t i = 0; i < table.size(); ++i) {
        html += "<tr>";
        for (const std::string& cell : table[i])
            html += (i == 0 ? "<th>" : cell.size() > 60 ? "<td class=why>" : "<td>") + escape_xml(cell) + (i == 0 ? "</th>" : "</td>");
        html += "</tr>\n";
    }
    return html + "</table></div>\n";
}

Table all_points(const Analysis& analysis) {
    Table table{headings(analysis)};
    for (const Row& row : analysis.rows())
        if (row.status == "done") table.push_back(cells(analysis, row));
    return table;
}

constexpr const char* kPage =
    "<!doctype html>\n<html lang=en><meta charset=utf-8>\n<meta name=viewport "
    "content='width=device-width'>\n<style>\n"
    ":root{color-scheme:light dark}\n"
    "body{font:15px/1.45 system-ui,sans-serif;max-width:90rem;margin:2rem auto;padding:0 1rem;"
    "color:light-dark(#1b1b1f,#e6e6ea);background:light-dark(#fff,#17181c)}\n"
    "table{border-collapse:collapse;font-variant-numeric:tabular-nums}\n"
    "th,td{text-align:left;padding:.15rem .8rem .15rem 0;border-bottom:1px solid "
    "light-dark(#ddd,#444);white-space:nowrap}\n"
    ".wide{overflow-x:auto}figure{margin:1rem 0;background:#fff;border-radius:6px;padding:.5rem}\n"
    "svg{max-width:min(100%,70rem);height:auto}.spark{background:#fff}p.note{color:light-dark(#666,#aaa);"
    "margin:.2rem 0 .6rem}figcaption{color:#333;font-weight:600}\n"
    "td.why{white-space:normal}\n"
    "</style>\n";

std::string trend_html(const Trend& trend) {
    std::string html = "<h2>Trend</h2>\n<p>" + escape_xml(trend_text(trend)) + "</p>\n";
    if (trend.runs().size() > 1)
        html += "<figure role=img aria-label=\"cycles of the points over the runs\">" +
                trend_svg(trend) + "</figure>\n";
    html += "<div class=wide><table>\n<tr>";
    const Table table = trend_table(trend, true);
    for (const std::string& cell : table[0]) html += "<th>" + escape_xml(cell) + "</th>";
    html += "<th>" + escape_xml(trend.runs().front().label + " to " + trend.runs().back().label) +
            "</th></tr>\n";
    for (size_t i = 1; i < table.size(); ++i) {
        html += "<tr>";
        for (const std::string& cell : table[i]) html += "<td>" + escape_xml(cell) + "</td>";
        constexpr unsigned kSparkWidth = 160;
        html += "<td class=spark>" + spark_svg(trend.lines()[i - 1], kSparkWidth) + "</td></tr>\n";
    }
    return html + "</table></div>\n";
}

}  // namespace

std::string report_text(const std::string& title, const Analysis& analysis, const Trend& trend) {
    std::string text = title + "\n" + counts_text(analysis) + "\n";
    if (!trend.empty()) {
        text += "\nTrend: " + trend_text(trend) + "\n";
        const Table changed = trend_table(trend, false);
        if (changed.size() > 1) text += text_table(changed);
    }
    for (const Section& section : sections(analysis))
        text += "\n" + section.title + (section.note.empty() ? "" : " (" + section.note + ")") +
                "\n" + text_table(section.table);
    return text;
}

std::string changes_text(const Analysis& analysis) {
    std::string text;
    for (const ChangeTable& changes : change_tables(analysis.rows())) {
        text += (text.empty() ? "" : "\n") + changes.kernel + (changes.context.empty() ? "" : ", " + changes.context) + "\n" +
                text_table(change_table(changes));
        for (const auto& row : reason_table(changes))
            if (row[1] != "why") text += "  " + row[0] + ": " + row[1] + "\n";
    }
    return text;
}

std::string report_csv(const Analysis& analysis) {
    std::vector<std::string> names;
    for (const Row& row : analysis.rows())
        for (const auto& [name, value] : row.coordinates.items())
            if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
    std::string csv;
    for (const std::string& name : names) csv += csv_cell(name) + ",";
    csv +=
        "status,cycles,time_us,onchip_bytes,compute_cycles,bandwidth_cycles,occupancy_cycles,"
        "range_percent,";
    const bool costs = std::any_of(analysis.rows().begin(), analysis.rows().end(), [](const Row& row) { return area_mm2(row).has_value(); });
    csv += std::string(costs ? "area_mm2,energy_uj," : "") + (has_choices(analysis) ? "chosen," : "") + "message\n";
    for (const Row& row : analysis.rows()) {
        for (const std::string& name : names) csv += csv_cell(coordinate(row, name)) + ",";
        const bool done = row.status == "done";
        const auto bounds = bounds_of(row);
        const auto value = [](bool there, uint64_t number) {
            return (there ? std::to_string(number) : "") + ",";
        };
        csv += row.status + "," + value(done, row.cycles) + (done ? fixed(row.time_us, 6) : "") +
               "," + value(true, row.chip_bytes);
        csv += value(bounds.has_value(), bounds ? bounds->compute : 0) +
               value(bounds.has_value(), bounds ? bounds->bandwidth : 0) +
               value(bounds.has_value(), bounds ? bounds->occupancy : 0);
        const double range = range_percent_of(row);
        csv += (range > 0 ? fixed(range, 1) : "") + ",";
        const auto area = area_mm2(row), energy = energy_uj(row);
        if (costs) csv += (area ? fixed(area->value(), 3) : "") + "," + (energy ? fixed(energy->value(), 3) : "") + ",";
        if (has_choices(analysis)) csv += csv_cell(choice_of(row)) + ",";
        csv += csv_cell(row.message) + "\n";
    }
    return csv;
}

std::string report_json(const std::string& title, const Analysis& analysis, const Trend& trend) {
    Json json{{"title", title}, {"points", Json::array()}};
    for (const Row& row : analysis.rows()) {
        Json point{{"coordinates", row.coordinates}, {"status", row.status}};
        if (!row.message.empty()) point["message"] = row.message;
        if (row.facts.contains("chosen")) point["chosen"] = row.facts["chosen"];
        if (const auto area = area_mm2(row)) point["area_mm2"] = {area->least(), area->value(), area->most()};
        if (const auto energy = energy_uj(row)) point["energy_uj"] = {energy->least(), energy->value(), energy->most()};
        point["onchip_bytes"] = row.chip_bytes;
        if (row.status == "done") {
            point["cycles"] = row.cycles;
            point["time_us"] = row.time_us;
            if (const double range = range_percent_of(row); range > 0)
                point["range_percent"] = range;
            if (const auto bounds = bounds_of(row))
                point["bounds"] = {{"compute", bounds->compute},
                                   {"bandwidth", bounds->bandwidth},
                                   {"occupancy", bounds->occupancy}};
        }
        json["points"].push_back(std::move(point));
    }
    if (!trend.empty()) {
        json["runs"] = Json::array();
        for (const LabelledRun& run : trend.runs())
            json["runs"].push_back({{"label", run.label}, {"at", run.at}});
        json["trend"] = Json::array();
        for (const Trend::Line& line : trend.lines())
            json["trend"].push_back({{"point", line.name}, {"cycles", line.cycles}});
        json["trend_mean"] = trend.means();
    }
    json["changes"] = Json::array();
    for (const ChangeTable& table : change_tables(analysis.rows())) json["changes"].push_back(as_json(table));
    for (const std::string& kernel : analysis.kernels()) json["cost_front"][kernel] = cost_front(analysis.rows(), kernel);
    json["assumed"] = assumed_by(analysis);
    json["sensitivity"] = Json::array();
    for (const Sensitivity& s : analysis.sensitivities())
        json["sensitivity"].push_back({{"kernel", s.kernel},
                                       {"factor", s.factor},
                                       {"median", s.median},
                                       {"largest", s.largest},
                                       {"best", s.best},
                                       {"comparisons", s.comparisons}});
    json["best_by_value"] = Json::array();
    for (const std::string& kernel : analysis.kernels())
        for (const std::string& factor : analysis.factors())
            for (const auto& best : analysis.best_by(kernel, factor))
                if (factor != "kernel")
                    json["best_by_value"].push_back({{"kernel", kernel},
                                                     {"factor", factor},
                                                     {"value", best.value},
                                                     {"time_us", best.time_us}});
    json["best_by_two"] = Json::array();
    for (const std::string& kernel : analysis.kernels())
        for (const auto& [down, across] : analysis.pairs(kernel)) {
            const Analysis::Grid grid = analysis.best_by(kernel, down, across);
            for (size_t i = 0; i < grid.down.size(); ++i)
                for (size_t j = 0; j < grid.across.size(); ++j)
                    if (grid.time_us[i][j] > 0)
                        json["best_by_two"].push_back(
                            {{"kernel", kernel},
                             {"values", {{down, grid.down[i]}, {across, grid.across[j]}}},
                             {"time_us", grid.time_us[i][j]}});
        }
    for (const std::string& kernel : analysis.kernels())
        json["pareto"][kernel] = analysis.pareto(kernel);
    return dump_json(json, 2) + "\n";
}

std::vector<std::string> write_plots(const Analysis& analysis, const std::string& folder) {
    make_folder(folder);
    std::vector<std::string> names;
    for (const Plot& plot : plots_of(analysis)) {
        names.push_back(plot.name + ".png");
        draw(plot, "pngcairo size 900,560 font 'sans,11'", folder + "/" + names.back());
    }
    return names;
}

std::string report_html(const std::string& title, const Analysis& analysis, const Trend& trend) {
    std::string html = kPage;
    html += "<title>" + escape_xml(title) + "</title>\n<h1>" + escape_xml(title) + "</h1>\n<p>" +
            escape_xml(counts_text(analysis)) + "</p>\n";
    if (!trend.empty()) html += trend_html(trend);
    const std::string file = (std::filesystem::temp_directory_path() /
                              ("ptosim-plot-" + std::to_string(getpid()) + ".svg"))
                                 .string();
    const std::vector<Section> parts = sections(analysis);
    const auto add = [&](Section::Place place) {
        for (const Section& section : parts) {
            if (section.place != place) continue;
            html += "<h2>" + escape_xml(section.title) + "</h2>\n";
            if (!section.note.empty()) html += "<p class=note>" + escape_xml(section.note) + "</p>\n";
            html += html_table(section.table);
        }
    };
    add(Section::Place::kAnswer);
    html += "<h2>Plots</h2>\n";
    for (const Picture& picture : pictures_of(analysis, change_tables(analysis.rows())))
        html += "<figure role=img aria-label=\"" + escape_xml(picture.title) + "\"><figcaption>" + escape_xml(picture.title) +
                "</figcaption>" + picture.svg + "</figure>\n";
    for (const Plot& plot : plots_of(analysis)) {
        draw(plot, "svg size 900,560 font 'sans-serif,13' dashed background '#ffffff'", file);
        std::string svg = read_file(file);
        svg.erase(0, svg.find("<svg"));
        html +=
            "<figure role=img aria-label=\"" + escape_xml(plot.title) + "\">" + svg + "</figure>\n";
    }
    std::remove(file.c_str());
    add(Section::Place::kTable);
    add(Section::Place::kDetail);
    html += "<h2>All points</h2>\n" + html_table(all_points(analysis));
    return html;
}

}  // namespace ptosim::sweep
