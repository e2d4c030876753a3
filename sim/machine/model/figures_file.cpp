#include "sim/machine/model/figures_file.h"

#include <set>
#include <string_view>
#include <vector>

#include "isa/core/diagnostic.h"
#include "isa/core/input_file.h"
#include "sim/machine/observe/time_grades.h"

namespace ptosim {

using nlohmann::json;

namespace {

std::string grade_list() {
    std::string list;
    for (const std::string_view grade : kTimeGradeNames)
        list += (list.empty() ? "" : ", ") + std::string(grade);
    return list;
}

std::string join(const std::string& path, const std::string& key) {
    return path.empty() ? key : path + "." + key;
}

}  // namespace

void fail_figure(const std::string& file, const std::string& path, const std::string& what, const std::string& hint) {
    fail_input("I20", file + (path.empty() ? "" : ": " + path) + ": " + what, hint);
}

json read_figures(const std::string& path, const std::string& file) {
    const std::string text = read_text(path, "I22");
    json root;
    std::vector<std::set<std::string>> keys;  // of the open objects
    std::string twice;
    const auto note_keys = [&](int, json::parse_event_t event, json& parsed) {
        if (event == json::parse_event_t::object_start) keys.emplace_back();
        if (event == json::parse_event_t::object_end) keys.pop_back();
        if (event == json::parse_event_t::key && twice.empty() &&
            !keys.back().insert(parsed.get<std::string>()).second)
            twice = parsed.get<std::string>();
        return true;
    };
    try {
        root = json::parse(text, note_keys, true, true);
    } catch (const json::exception& error) {
        fail_figure(file, "", std::string("is not JSON: ") + error.what(),
                  "often a comma before '}' or ']', or none between two values");
    }
    if (!twice.empty())
        fail_figure(file, twice, "occurs twice in one group", "keep one of the two");
    if (!root.is_object()) fail_figure(file, "", "must be a JSON object");
    return root;
}

void collect_figures(const std::string& path, const json& node,
             const std::shared_ptr<const Says>& inherited, Leaves& leaves) {
    const std::string& file = inherited->file;
    if (node.is_number()) {
        leaves[path] = {node.get<double>(), node.dump(), inherited};
        return;
    }
    if (!node.is_object())
        fail_figure(file, path, "must be a number or a group, found " + node.dump());
    std::shared_ptr<Says> own;
    const auto take = [&](const char* key, std::string Says::*into) {
        const auto found = node.find(key);
        if (found == node.end()) return;
        if (!found->is_string()) fail_figure(file, join(path, key), "must be text");
        if (!own) own = std::make_shared<Says>(*inherited);
        own.get()->*into = found->get<std::string>();
    };
    take("unit", &Says::unit);
    take("grade", &Says::grade);
    take("source", &Says::source);
    const std::shared_ptr<const Says>& says = own ? own : inherited;
    if (const auto number = node.find("value"); number != node.end()) {
        if (!number->is_number())
            fail_figure(file, join(path, "value"), "must be a number, found " + number->dump());
        for (const auto& [key, child] : node.items())
            if (key != "value" && key != "unit" && key != "grade" && key != "source" &&
                key != "note")
                fail_figure(file, join(path, key), "unknown key next to \"value\"",
                          "a parameter has value, unit, grade, source and note");
        leaves[path] = {number->get<double>(), number->dump(), says};
        return;
    }
    for (const auto& [key, child] : node.items()) {
        if (key == "unit" || key == "grade" || key == "source" || key == "note") continue;
        collect_figures(join(path, key), child, says, leaves);
    }
}

void check_grade(const std::string& file, const std::string& path, const Says& says) {
    if (!parse_time_grade(says.grade))
        fail_figure(file, path,
                  says.grade.empty() ? "has no grade" : "unknown grade '" + says.grade + "'",
                  "grades are " + grade_list());
    if (says.source.empty()) fail_figure(file, path, "has no source");
}

}  // namespace ptosim
