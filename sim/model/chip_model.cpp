#include "sim/model/chip_model.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <sstream>
#include <unordered_set>

#include "isa/core/input_file.h"
#include "sim/model/cube_types.h"
#include "sim/model/figures_file.h"
#include "sim/model/installation.h"
#include "sim/model/parameters.h"
#include "sim/model/system_model.h"
#include "sim/observe/time_grades.h"

namespace ptosim {
namespace {

using nlohmann::json;
namespace fs = std::filesystem;

[[noreturn]] void fail_chip(const std::string& file, const std::string& path, const std::string& what,
                            const std::string& hint = {}) {
    fail_figure(file, path, what, hint);
}

[[noreturn]] void fail_unknown_path(const std::string& file, const std::string& path,
                                    const std::string& of) {
    std::vector<std::string_view> paths;
    for (const ParameterRow& row : parameter_rows()) paths.push_back(row.path);
    std::string near = closest(path, paths);
    // Suggests a group, or a path of which the first words are missing.
    for (const std::string_view whole : paths)
        if (near.empty() && (whole.starts_with(path + ".") || whole.ends_with("." + path)))
            near = whole;
    const std::string hint =
        near.empty() ? "'ptosim chips NAME' lists the parameters" : "did you mean '" + near + "'?";
    if (of.empty()) fail_chip(file, path, "unknown parameter", hint);
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

// Applies a word such as "path=256KiB".
void apply_override(const std::string& word, Leaves& leaves) {
    const size_t equals = word.find('=');
    if (equals == std::string::npos || equals == 0 || equals + 1 == word.size())
        fail_input("I21", "--set " + word + ": expected PATH=VALUE",
                   "for example --set aiv.ub.bytes=256KiB");
    const std::string path = word.substr(0, equals);
    const std::string text = word.substr(equals + 1);
    double value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc{})
        fail_input("I21", "--set " + word + ": '" + text + "' is not a number",
                   "for example --set aiv.ub.bytes=256KiB");
    const auto& rows = parameter_rows();
    const auto row = std::find_if(rows.begin(), rows.end(),
                                  [&](const ParameterRow& r) { return r.path == path; });
    if (row == rows.end()) fail_unknown_path("", path, word);
    Leaf& leaf = leaves[path];
    if (leaf.overridden)
        fail_input("I21", "--set " + word + ": '" + path + "' is set twice",
                   "the other value is " + leaf.text + leaf.says->unit);
    const std::string unit(end, text.data() + text.size());
    leaf.value = value;
    leaf.text = text.substr(0, static_cast<size_t>(end - text.data()));
    Says says{unit.empty() ? std::string(base_unit(row->dimension)) : unit, "assumed", "--set",
              leaf.says ? leaf.says->file : std::string()};
    leaf.says = std::make_shared<const Says>(std::move(says));
    leaf.overridden = true;
    if (unit_factor(row->dimension, leaf.says->unit) == 0)
        fail_input("I21", "--set " + word + ": unit '" + unit + "' does not fit " + path,
                   units_text(row->dimension));
}

std::string range_text(const ParameterRow& row) {
    std::ostringstream text;
    text.precision(12);  // prints 1073741824 in full
    text << "from " << row.min << " to " << row.max;
    if (!base_unit(row.dimension).empty()) text << " " << base_unit(row.dimension);
    return text.str();
}

void store(const std::string& main_file, const Leaves& leaves, ChipModel& model) {
    std::unordered_set<std::string_view> paths;
    for (const ParameterRow& row : parameter_rows()) paths.insert(row.path);
    for (const auto& [path, leaf] : leaves)
        if (!paths.contains(path))
            fail_unknown_path(leaf.says->file.empty() ? main_file : leaf.says->file, path, "");
    uint16_t number = 0;
    for (const ParameterRow& row : parameter_rows()) {
        row.field(model).set_row(++number);
        const auto found = leaves.find(row.path);
        if (found == leaves.end()) {
            if (row.required) fail_chip(main_file, row.path, "is missing", row.description());
            continue;
        }
        const Leaf& leaf = found->second;
        const auto& [unit, grade, source, said_by] = *leaf.says;
        const std::string& file = said_by.empty() ? main_file : said_by;
        check_grade(file, row.path, *leaf.says);
        const double factor = unit_factor(row.dimension, unit);
        if (factor == 0)
            fail_chip(file, row.path,
                      unit.empty() ? "has no unit" : "unit '" + unit + "' does not fit",
                      units_text(row.dimension));
        const double value = leaf.value * factor;
        if (!(value >= row.min && value <= row.max)) {
            if (leaf.overridden)
                fail_input("I21",
                           "--set " + row.path + ": " + leaf.text + (unit.empty() ? "" : " ") +
                               unit + " is out of range",
                           "it must be " + range_text(row) + "; " + units_text(row.dimension));
            fail_chip(file, row.path, leaf.text + " " + unit + " is out of range",
                      "it must be " + range_text(row));
        }
        const bool counted = row.dimension == Dimension::kCount && row.scale == 1;
        if (counted && value != std::floor(value)) {
            if (leaf.overridden)
                fail_input("I21",
                           "--set " + row.path + ": " + leaf.text + " is not a whole number");
            fail_chip(file, row.path, leaf.text + " is not a whole number");
        }
        row.field(model) = static_cast<uint64_t>(std::llround(value * row.scale));
        model.provenance[row.path] = {leaf.text + (unit.empty() ? "" : " " + unit), grade, source,
                                      leaf.overridden};
    }
    // Parameters that an instruction lacks get the values common to all instructions.
    for (VectorRate& rate : model.aiv.vector.rate) {
        if (rate.start == 0) rate.start = model.aiv.vector.latency;
        if (rate.integer_start == 0) rate.integer_start = rate.start;
        if (rate.conflict == 0) rate.conflict = model.aiv.vector.read_conflict;
        if (rate.dependent == 0) rate.dependent = model.aiv.vector.dependent;
    }
    for (const InstructionInfo& row : instruction_table()) {
        if (row.timing != TimingClass::kVectorGather) continue;
        VectorRate& rate = model.aiv.vector.rate[static_cast<size_t>(row.opcode)];
        const std::string path = "aiv.vector.rate." + std::string(row.name);
        if (!leaves.contains(path + ".b16")) rate.b16 = model.aiv.vector.gather;
        if (!leaves.contains(path + ".b32")) rate.b32 = model.aiv.vector.gather;
    }
    for (const CubeTypes& group : kCubeTypes)
        for (const DType type : group.types) {
            const auto to = static_cast<size_t>(type),
                       from = static_cast<size_t>(*group.types.begin());
            model.aic.cube.k_per_cycle[to] = model.aic.cube.k_per_cycle[from];
            model.aic.cube.k_granule[to] = model.aic.cube.k_granule[from];
        }
}

}  // namespace

std::string ChipModel::name_with_overrides() const {
    std::string text = name;
    for (const auto& [path, parameter] : provenance)
        if (parameter.overridden)
            text += (text == name ? " with " : ", ") + path + "=" + parameter.value;
    return text;
}

std::vector<std::string> chip_names() {
    std::vector<std::string> names;
    std::error_code error;
    for (const auto& entry : fs::directory_iterator(models_folder(), error)) {
        const fs::path& path = entry.path();
        if (path.extension() == ".json" && path.stem().string().find('.') == std::string::npos)
            names.push_back(path.stem().string());
    }
    std::sort(names.begin(), names.end());
    return names;
}

namespace {

// A name denotes a file of the models folder; a path is relative to `folder`.
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
    fail_input("I22", "unknown chip '" + name_or_file + "'",
               (near.empty() ? "" : "did you mean '" + near + "'? ") + "known chips: " + accepted);
}

// The leaves of a chip file, which override the leaves of the file that it extends.
struct ChipTree {
    std::string name, description;
    std::optional<Arch> arch;
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
        fail_chip(file, "inherited", "is used without \"extends\"", "there is nothing to inherit");
    const json& group = root["inherited"];
    if (!group.is_object()) fail_chip(file, "inherited", "must be a group");
    Inherited inherited;
    Says says;
    for (const auto& [key, value] : group.items()) {
        if (key == "measured") {
            if (!value.is_array() || value.empty() ||
                !std::all_of(value.begin(), value.end(),
                             [](const json& path) { return path.is_string(); }))
                fail_chip(file, "inherited.measured", "must be a list of paths");
            inherited.measured = value.get<std::vector<std::string>>();
            continue;
        }
        if (key != "grade" && key != "source")
            fail_chip(file, "inherited." + key, "unknown key", "it has grade, source and measured");
        if (!value.is_string()) fail_chip(file, "inherited." + key, "must be text");
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
            fail_chip(file, key, "is missing or not text");
        return root[key].get<std::string>();
    };
    for (const auto& [key, value] : root.items())
        if (key != "name" && key != "description" && key != "arch" && key != "extends" &&
            key != "inherited" && key != "parameters" && key != "$schema")
            fail_chip(file, key, "unknown key",
                      "a chip file has name, description, arch or extends, and parameters");
    ChipTree tree;
    if (root.contains("extends")) {
        constexpr unsigned kDeepest = 8;
        if (depth == kDeepest)
            fail_chip(file, "extends", "goes more than 8 files deep: does a file extend itself?");
        tree = read_tree(chip_file(text("extends"), path.parent_path()), depth + 1);
    }
    if (root.contains("inherited")) regrade(file, root, tree.leaves);
    tree.name = text("name");
    tree.description = text("description");
    if (!root.contains("arch") && !tree.arch)
        fail_chip(
            file, "arch", "is missing, and so is \"extends\"",
            "name the architecture (a2a3, a5, kirin), or the chip file that this one extends");
    if (root.contains("arch") || !tree.arch) {
        tree.arch = parse_arch(text("arch"));
        if (!tree.arch)
            fail_chip(file, "arch", "unknown architecture '" + text("arch") + "'",
                      "architectures are a2a3, a5, kirin");
    }
    if (!root.contains("parameters") || !root["parameters"].is_object())
        fail_chip(file, "parameters", "is missing or not a group");
    Leaves own;
    collect_figures("", root["parameters"], std::make_shared<const Says>(Says{{}, {}, {}, file}), own);
    if (tree.leaves.empty()) {
        tree.leaves = std::move(own);
        return tree;
    }
    for (auto& [leaf_path, leaf] : own) tree.leaves.insert_or_assign(leaf_path, std::move(leaf));
    return tree;
}

// Rejects numbers that are possible individually, but not together.
void check_consistency(const std::string& file, const Leaves& leaves, ChipModel& model) {
    const auto refuse = [&](const std::string& path, const std::string& what,
                            const std::string& hint) {
        const Leaf& leaf = leaves.at(path);
        if (leaf.overridden)
            fail_input("I21", "--set " + path + "=" + leaf.text + leaf.says->unit + ": " + what,
                       hint);
        fail_chip(leaf.says->file.empty() ? file : leaf.says->file, path,
                  leaf.text + " " + leaf.says->unit + " " + what, hint);
    };
    const std::vector<ParameterRow>& rows = parameter_rows();
    const auto value = [&](const ParameterRow& row) -> uint64_t { return row.field(model); };
    for (const ParameterRow& row : rows) {
        if (row.dimension == Dimension::kBytes && row.path.ends_with(".bytes") &&
            leaves.contains(row.path) && value(row) % kTileAlignment != 0)
            refuse(row.path, "is not a multiple of 32 bytes",
                   "on-chip memory comes in blocks of 32 bytes");
        constexpr std::string_view kMiss = ".miss_rate";
        if (!row.path.ends_with(kMiss) || !leaves.contains(row.path)) continue;
        const std::string path = row.path.substr(0, row.path.size() - kMiss.size()) + ".rate";
        const auto rate = std::find_if(rows.begin(), rows.end(),
                                       [&](const ParameterRow& r) { return r.path == path; });
        if (rate != rows.end() && leaves.contains(path) && value(row) > value(*rate))
            refuse(row.path, "contradicts " + path + ", which is lower",
                   "bytes that L2 does not hold cannot come faster than those that it holds");
    }
}

ChipModel read_chip(const std::string& name_or_file, std::span<const std::string> overrides) {
    const fs::path path = chip_file(name_or_file, "");
    const std::string file = "chip file " + path.string();
    ChipTree tree = read_tree(path, 0);
    ChipModel model;
    model.name = tree.name;
    model.description = tree.description;
    model.arch = *tree.arch;
    for (const std::string& word : overrides)
        if (!word.starts_with(kSystemPrefix)) apply_override(word, tree.leaves);
    store(file, tree.leaves, model);
    check_consistency(file, tree.leaves, model);
    return model;
}

}  // namespace

ChipModel load_chip(const std::string& name_or_file, std::span<const std::string> overrides) {
    const std::string alone = stands_alone();
    if (alone.empty()) return read_chip(name_or_file, overrides);
    try {
        return read_chip(name_or_file, overrides);
    } catch (const DiagnosticError& error) {
        std::vector<Diagnostic> diagnostics = error.diagnostics();
        diagnostics.front().notes.push_back(alone);
        throw DiagnosticError(std::move(diagnostics));
    }
}

std::vector<ParameterInfo> parameter_list() {
    std::vector<ParameterInfo> list;
    for (const ParameterRow& row : parameter_rows())
        list.push_back({row.path, std::string(base_unit(row.dimension)), row.description()});
    return list;
}

}  // namespace ptosim
