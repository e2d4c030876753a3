#include "sim/machine/model/chip_figures.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <sstream>
#include <unordered_map>

#include "isa/core/input_file.h"
#include "sim/machine/model/figures_file.h"
#include "sim/machine/model/installation.h"

namespace ptosim {

using nlohmann::json;
namespace fs = std::filesystem;

void fail_unknown_path(const std::string& file, const std::string& path, const std::string& of) {
    std::vector<std::string_view> paths;
    for (const ParameterRow& row : parameter_rows()) paths.push_back(row.path);
    std::string near = closest(path, paths);
    // Suggests a group, or a path of which the first words are missing.
    for (const std::string_view whole : paths)
        if (near.empty() && (whole.starts_with(path + ".") || whole.ends_with("." + path)))
            near = whole;
    const std::string group = path.substr(0, path.rfind('.'));
    std::string members;
    for (const std::string_view whole : paths)
        if (near.empty() && whole.starts_with(group + ".") &&
            whole.find('.', group.size() + 1) == whole.npos)
            members += (members.empty() ? "" : ", ") + std::string(whole.substr(group.size() + 1));
    const std::string hint = !near.empty()      ? "did you mean '" + near + "'?"
                             : !members.empty() ? "'" + group + "' has: " + members
                                                : "'ptosim chips NAME' lists the parameters";
    if (of.empty()) fail_figure(file, path, "unknown parameter", hint);
    fail_input("I21", "--set " + of + ": unknown parameter '" + path + "'", hint);
}

// Text such as "units are B, KiB, MiB; without one it is in B".
std::string units_text(Dimension dimension) {
    std::string list;
    for (const std::string_view unit : units_of(dimension))
        if (!unit.empty()) list += (list.empty() ? "" : ", ") + std::string(unit);
    if (list.empty()) return "it takes no unit";
    return "units are " + list + "; a --set value without a unit is in " +
           std::string(base_unit(dimension));
}

namespace {

std::string range_text(const ParameterRow& row) {
    std::ostringstream text;
    text.precision(12);  // prints 1073741824 in full
    text << "from " << row.min << " to " << row.max;
    if (!base_unit(row.dimension).empty()) text << " " << base_unit(row.dimension);
    return text.str();
}

}  // namespace

StoredNumber stored_number(const ParameterRow& row, double number, const std::string& text,
                           const std::string& unit) {
    const double factor = unit_factor(row.dimension, unit);
    if (factor == 0)
        return {0, unit.empty() ? "has no unit" : "unit '" + unit + "' does not fit",
                units_text(row.dimension)};
    const double value = number * factor;
    if (!(value >= row.min && value <= row.max))
        return {0, text + (unit.empty() ? "" : " " + unit) + " is out of range",
                "it must be " + range_text(row)};
    if (row.dimension == Dimension::kCount && row.scale == 1 && value != std::floor(value))
        return {0, text + " is not a whole number", {}};
    return {static_cast<uint64_t>(std::llround(value * row.scale)), {}, {}};
}

fs::path chip_file(const std::string& name_or_file, const fs::path& folder) {
    fs::path path = name_or_file;
    if (name_or_file.find('/') != std::string::npos || path.extension() == ".json")
        return path.is_absolute() ? path : folder / path;
    path = fs::path(models_folder()) / (name_or_file + ".json");
    if (fs::exists(path)) return path;
    const std::vector<std::string> names = chip_names();
    if (names.empty())
        fail_input("I22", "no chip files in " + models_folder(),
                   "PTOSIM_MODELS names the folder of the chip files");
    std::string accepted;
    for (const std::string& name : names) accepted += (accepted.empty() ? "" : ", ") + name;
    std::string near =
        closest(name_or_file, std::vector<std::string_view>(names.begin(), names.end()));
    for (const std::string& name : names)
        if (near.empty() && !name_or_file.empty() && name.ends_with(name_or_file)) near = name;
    // Names of architectures, as files declare them (pto.target_arch).
    constexpr std::pair<std::string_view, const char*> kArchitectures[] = {
        {"a2", "ascend910b1"},   {"a3", "ascend910b1"}, {"a2a3", "ascend910b1"},
        {"910b", "ascend910b1"}, {"a5", "ascend950pr"}, {"950", "ascend950pr"},
        {"kirin", "kirin9030"}};
    for (const auto& [word, chip] : kArchitectures)
        if (name_or_file == word) near = chip;
    fail_input("I22", "unknown chip '" + name_or_file + "'",
               (near.empty() ? "" : "did you mean '" + near + "'? ") + "known chips: " + accepted);
}

namespace {

// The leaves of a chip file, which override the leaves of the file that it extends.
struct ChipTree {
    std::string name, description;
    std::optional<Arch> arch;
    std::vector<std::string> files;  // for messages: its own, then the ones that it extends
    Leaves leaves;
};

// The grade and source that a chip file gives to inherited figures.
struct Inherited {
    TimeGrade grade{};
    std::string source;
    std::vector<std::string> measured;  // groups that were also measured on this chip
};

Inherited read_inherited(const std::string& file, const json& root) {
    if (!root.contains("extends"))
        fail_figure(file, "inherited", "is used without \"extends\"",
                    "there is nothing to inherit");
    const json& group = root["inherited"];
    if (!group.is_object()) fail_figure(file, "inherited", "must be a group");
    Inherited inherited;
    Says says;
    for (const auto& [key, value] : group.items()) {
        if (key == "measured") {
            if (!value.is_array() || value.empty() ||
                !std::all_of(value.begin(), value.end(),
                             [](const json& path) { return path.is_string(); }))
                fail_figure(file, "inherited.measured", "must be a list of paths");
            inherited.measured = value.get<std::vector<std::string>>();
            continue;
        }
        if (key != "grade" && key != "source")
            fail_figure(file, "inherited." + key, "unknown key",
                        "it has grade, source and measured");
        if (!value.is_string()) fail_figure(file, "inherited." + key, "must be text");
        (key == "grade" ? says.grade : says.source) = value.get<std::string>();
    }
    check_grade(file, "inherited", says);
    inherited.grade = *parse_time_grade(says.grade);
    inherited.source = says.source;
    return inherited;
}

// Published figures apply to all chips of an architecture, and unmeasured figures keep their grade.
bool stays(TimeGrade of_other, TimeGrade here) {
    return here == TimeGrade::kInherited && of_other != TimeGrade::kSilicon &&
           of_other != TimeGrade::kFitted;
}

// Regrades measurements of another chip by the rule in "inherited".
void regrade(const std::string& file, const json& root, Leaves& leaves) {
    const Inherited inherited = read_inherited(file, root);
    const auto below = [](const std::string& path, const std::string& group) {
        return path == group || path.starts_with(group + ".");
    };
    for (const std::string& group : inherited.measured)
        if (std::none_of(leaves.begin(), leaves.end(),
                         [&](const auto& leaf) { return below(leaf.first, group); }))
            fail_unknown_path(file, group, {});
    std::map<std::shared_ptr<const Says>, std::shared_ptr<const Says>> of_other;
    for (auto& [path, leaf] : leaves) {
        if (std::any_of(inherited.measured.begin(), inherited.measured.end(),
                        [&, &at = path](const std::string& group) { return below(at, group); }))
            continue;
        std::shared_ptr<const Says>& here = of_other[leaf.says];
        if (!here) {
            const TimeGrade before =
                parse_time_grade(leaf.says->grade).value_or(TimeGrade::kAssumed);
            here = stays(before, inherited.grade)
                       ? leaf.says
                       : std::make_shared<const Says>(
                             Says{leaf.says->unit, std::string(name(inherited.grade)),
                                  inherited.source + ": " + leaf.says->source, leaf.says->file});
        }
        leaf.says = here;
    }
}

ChipTree read_tree(const fs::path& path, unsigned depth) {
    const std::string file = "chip file " + path.string();
    const json root = read_figures(path.string(), file);
    const auto text = [&](const char* key) {
        if (!root.contains(key) || !root[key].is_string())
            fail_figure(file, key, "is missing or not text");
        return root[key].get<std::string>();
    };
    for (const auto& [key, value] : root.items())
        if (key != "name" && key != "description" && key != "arch" && key != "extends" &&
            key != "inherited" && key != "parameters" && key != "$schema")
            fail_figure(file, key, "unknown key",
                        "a chip file has name, description, arch or extends, and parameters");
    ChipTree tree;
    if (root.contains("extends")) {
        constexpr unsigned kDeepest = 8;
        if (depth == kDeepest)
            fail_figure(file, "extends", "goes more than 8 files deep: does a file extend itself?");
        tree = read_tree(chip_file(text("extends"), path.parent_path()), depth + 1);
    }
    tree.files.insert(tree.files.begin(), file);
    if (root.contains("inherited")) regrade(file, root, tree.leaves);
    tree.name = text("name");
    tree.description = text("description");
    if (!root.contains("arch") && !tree.arch)
        fail_figure(
            file, "arch", "is missing, and so is \"extends\"",
            "name the architecture (a2a3, a5, kirin), or the chip file that this one extends");
    if (root.contains("arch") || !tree.arch) {
        tree.arch = parse_arch(text("arch"));
        if (!tree.arch)
            fail_figure(file, "arch", "unknown architecture '" + text("arch") + "'",
                        "architectures are a2a3, a5, kirin");
    }
    if (!root.contains("parameters") || !root["parameters"].is_object())
        fail_figure(file, "parameters", "is missing or not a group");
    Leaves own;
    collect_figures("", root["parameters"], std::make_shared<const Says>(Says{{}, {}, {}, file}),
                    own);
    if (tree.leaves.empty()) {
        tree.leaves = std::move(own);
        return tree;
    }
    for (auto& [leaf_path, leaf] : own) tree.leaves.insert_or_assign(leaf_path, std::move(leaf));
    return tree;
}

// Texts of figures. Many share a source.
class Texts {
 public:
    explicit Texts(std::deque<std::string>& store) : store_{store} {}
    std::string_view add(std::string text) { return store_.emplace_back(std::move(text)); }
    std::string_view source_of(const std::shared_ptr<const Says>& says) {
        std::string_view& source = sources_[says.get()];
        if (source.empty()) source = add(says->source);
        return source;
    }

 private:
    std::deque<std::string>& store_;
    std::unordered_map<const Says*, std::string_view> sources_;
};

uint8_t number_of(const std::string& file, const std::vector<std::string>& files) {
    return static_cast<uint8_t>(std::find(files.begin(), files.end(), file) - files.begin());
}

}  // namespace

std::string extended_chip(const fs::path& path) {
    return read_figures(path.string(), "chip file " + path.string()).value("extends", std::string());
}

ChipFigures read_chip_figures(const fs::path& path) {
    const std::string main_file = "chip file " + path.string();
    const ChipTree tree = read_tree(path, 0);
    ChipFigures result;
    result.name = tree.name;
    result.description = tree.description;
    result.arch = *tree.arch;
    result.files = tree.files;
    result.texts = std::make_shared<std::deque<std::string>>();
    Texts texts(*result.texts);
    for (const auto& [leaf_path, leaf] : tree.leaves) {
        const Says& says = *leaf.says;
        const std::string& file = says.file.empty() ? main_file : says.file;
        const ParameterRow* const row = parameter_row(leaf_path);
        if (row == nullptr) fail_unknown_path(file, leaf_path, "");
        check_grade(file, leaf_path, says);
        const StoredNumber stored = stored_number(*row, leaf.value, leaf.text, says.unit);
        if (!stored.problem.empty()) fail_figure(file, leaf_path, stored.problem, stored.help);
        result.figures.push_back({static_cast<uint16_t>(row - parameter_rows().data()),
                                  stored.stored,
                                  texts.add(leaf.text + (says.unit.empty() ? "" : " " + says.unit)),
                                  texts.source_of(leaf.says), *parse_time_grade(says.grade),
                                  number_of(file, result.files)});
    }
    std::sort(
        result.figures.begin(), result.figures.end(),
        [](const ChipFigures::Figure& a, const ChipFigures::Figure& b) { return a.row < b.row; });
    return result;
}

}  // namespace ptosim
