#include "traces/write/difference_report.h"

#include <cstdlib>

#include "sim/files/json.h"
#include "traces/analyse/labels.h"

namespace ptosim {

namespace {

constexpr size_t kShown = 20;

std::string signed_percent(const Change& change) {
    const int64_t permille = change.permille();
    const std::string text = decimal_text(static_cast<uint64_t>(std::abs(permille)), 10, 1);
    return (permille < 0 ? "-" : permille > 0 ? "+" : "") + text + " %";
}

std::string change_text(const Change& change) {
    return change.what + ": " + std::to_string(change.before) + " -> " +
           std::to_string(change.after) + " (" + signed_percent(change) + ")";
}

std::string pipes_section(const std::vector<PipeChange>& list) {
    std::string text = "\nPipes, mean over the cores of a type\n";
    size_t same = 0;
    for (const PipeChange& change : list) {
        if (change.most.cycles() == 0) {
            ++same;
            continue;
        }
        text += "  " + change_text(change.mean);
        if (!change.everywhere) text += "; most on " + change_text(change.most);
        text += "\n";
    }
    return text + "  " + std::to_string(same) + " unchanged\n";
}

std::string section(const char* title, const std::vector<Change>& list) {
    std::string text = std::string("\n") + title + "\n";
    size_t shown = 0, same = 0;
    for (const Change& change : list) {
        if (change.before == change.after)
            ++same;
        else if (++shown <= kShown)
            text += "  " + change_text(change) + "\n";
    }
    if (shown > kShown) text += "  and " + std::to_string(shown - kShown) + " smaller changes\n";
    return text + "  " + std::to_string(same) + " unchanged\n";
}

std::string section(const char* title, const std::vector<std::string>& list) {
    std::string text = std::string("\n") + title + "\n";
    for (const std::string& line : list) text += "  " + line + "\n";
    return list.empty() ? text + "  the same\n" : text;
}

Json changes_json(const std::vector<Change>& list) {
    Json json = Json::array();
    for (const Change& change : list)
        json.push_back({{"what", change.what}, {"a", change.before}, {"b", change.after}});
    return json;
}

}  // namespace

std::string difference_text(const Difference& d) {
    std::string text = change_text(d.cycles) + "\n";
    if (!d.same_clock)
        text += "time: " + decimal_text(d.time.before, 1'000'000, 3) + " -> " +
                decimal_text(d.time.after, 1'000'000, 3) + " us (" + signed_percent(d.time) +
                "); the clocks differ\n";
    text += change_text(d.instructions) + "\n";
    for (const std::string& note : d.notes) text += "note: " + note + "\n";
    text += "\nBottleneck\n  A: " + d.bottleneck_a + "\n  B: " + d.bottleneck_b + "\n";
    return text + pipes_section(d.types) + section("Lines (busy)", d.lines) +
           section("Outputs", d.outputs) + section("Findings", d.diagnostics);
}

Json difference_json(const Difference& d, uint64_t millionths, bool allow_faster) {
    Json json;
    json["format"] = "ptosim diff 1";
    json["within_tolerance"] = d.beyond(millionths, allow_faster).empty();
    json["tolerance_percent"] = static_cast<double>(millionths) / 10'000;
    json["beyond"] = d.beyond(millionths, allow_faster);
    json["cycles"] = {{"a", d.cycles.before}, {"b", d.cycles.after}};
    json["time_us"] = {{"a", static_cast<double>(d.time.before) / 1e6},
                       {"b", static_cast<double>(d.time.after) / 1e6}};
    json["instructions"] = {{"a", d.instructions.before}, {"b", d.instructions.after}};
    json["bottleneck"] = {{"a", d.bottleneck_a}, {"b", d.bottleneck_b}};
    json["pipes"] = changes_json(d.pipes);
    json["lines"] = changes_json(d.lines);
    json["outputs"] = d.outputs;
    json["findings"] = d.diagnostics;
    json["notes"] = d.notes;
    return json;
}

}  // namespace ptosim
