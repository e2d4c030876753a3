#include "sim/machine/model/system_model.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <filesystem>
#include <functional>

#include "isa/core/diagnostic.h"
#include "sim/machine/model/figures_file.h"
#include "sim/machine/model/installation.h"
#include "sim/machine/model/parameters.h"

namespace ptosim {
namespace {

using nlohmann::json;
namespace fs = std::filesystem;

// A row of a system's parameters. Stored values are in ps, B/s, or a count.
struct SystemRow {
    const char* path;
    enum class Of : uint8_t { kCount, kTime, kRate } of;
    double least, most;
    uint64_t& (*field)(SystemModel&);
    bool required;
    const char* text;
};
using enum SystemRow::Of;

constexpr double kMostTime = 1e12, kMostRate = 1e14;  // a second; 100 TB/s

constexpr SystemRow kRows[] = {
    {"chips", kCount, 1, 64, [](SystemModel& m) -> uint64_t& { return m.chips; }, true, "chips of the system"},
    {"dies", kCount, 1, 2, [](SystemModel& m) -> uint64_t& { return m.dies; }, false, "dies of a chip, each a device"},
    {"link.latency", kTime, 1000, kMostTime, [](SystemModel& m) -> uint64_t& { return m.link.latency; }, true,
     "from one chip to another, one way"},
    {"link.rate", kRate, 1e6, kMostRate, [](SystemModel& m) -> uint64_t& { return m.link.rate; }, true,
     "bytes that a lane carries one way"},
    {"link.lanes", kCount, 1, 64, [](SystemModel& m) -> uint64_t& { return m.link.lanes; }, false,
     "lanes of a link: to another chip, or to the switch"},
    {"port.rate", kRate, 1e6, kMostRate, [](SystemModel& m) -> uint64_t& { return m.port_rate; }, false,
     "bytes that all links of a device to other chips carry together, one way"},
    {"die_link.latency", kTime, 1000, kMostTime, [](SystemModel& m) -> uint64_t& { return m.die_link.latency; }, false,
     "from one die of a chip to the other, one way"},
    {"die_link.rate", kRate, 1e6, kMostRate, [](SystemModel& m) -> uint64_t& { return m.die_link.rate; }, false,
     "bytes that a lane between dies carries one way"},
    {"die_link.lanes", kCount, 1, 64, [](SystemModel& m) -> uint64_t& { return m.die_link.lanes; }, false,
     "lanes between dies"},
    {"host.run", kTime, 0, kMostTime, [](SystemModel& m) -> uint64_t& { return m.host_run; }, false,
     "of the host, to enter and leave an orchestration of several chips"},
    {"host.task", kTime, 0, kMostTime, [](SystemModel& m) -> uint64_t& { return m.host_task; }, false,
     "of the host, to submit a task of a chip"},
    {"host.wake", kTime, 0, kMostTime, [](SystemModel& m) -> uint64_t& { return m.host_wake; }, false,
     "from the end of a chip's task until the host goes on"},
    {"network1.members", kCount, 1, 65536, [](SystemModel& m) -> uint64_t& { return m.networks[0].members; },
     false, "hosts that this network joins"},
    {"network1.latency", kTime, 1000, kMostTime, [](SystemModel& m) -> uint64_t& { return m.networks[0].latency; },
     false, "between devices of different members, one way"},
    {"network1.rate", kRate, 1e6, kMostRate, [](SystemModel& m) -> uint64_t& { return m.networks[0].rate; }, false,
     "bytes that a device's part of the network carries one way"},
    {"network2.members", kCount, 1, 65536, [](SystemModel& m) -> uint64_t& { return m.networks[1].members; },
     false, "members of network1 that this network joins"},
    {"network2.latency", kTime, 1000, kMostTime, [](SystemModel& m) -> uint64_t& { return m.networks[1].latency; },
     false, "between devices of different members, one way"},
    {"network2.rate", kRate, 1e6, kMostRate, [](SystemModel& m) -> uint64_t& { return m.networks[1].rate; }, false,
     "bytes that a device's part of the network carries one way"},
    {"network3.members", kCount, 1, 65536, [](SystemModel& m) -> uint64_t& { return m.networks[2].members; },
     false, "members of network2 that this network joins"},
    {"network3.latency", kTime, 1000, kMostTime, [](SystemModel& m) -> uint64_t& { return m.networks[2].latency; },
     false, "between devices of different members, one way"},
    {"network3.rate", kRate, 1e6, kMostRate, [](SystemModel& m) -> uint64_t& { return m.networks[2].rate; }, false,
     "bytes that a device's part of the network carries one way"},
};

// The factor from a unit to the stored value; 0: it does not fit.
double factor_of(SystemRow::Of of, const std::string& unit) {
    if (of == kTime) return unit == "us" ? 1e6 : unit == "ns" ? 1e3 : unit == "ps" ? 1 : 0;
    return unit_factor(of == kRate ? Dimension::kBytesPerSecond : Dimension::kCount, unit);
}
const char* unit_words(SystemRow::Of of) {
    return of == kTime ? "units are ps, ns, us" : of == kRate ? "units are those of rates: GB/s" : "it takes no unit";
}

const SystemRow* row_of(const std::string& path) {
    const auto row =
        std::find_if(std::begin(kRows), std::end(kRows), [&](const SystemRow& r) { return path == r.path; });
    return row == std::end(kRows) ? nullptr : row;
}

std::string parameters_text() {
    std::string text;
    for (const SystemRow& row : kRows) text += (text.empty() ? "" : ", ") + std::string(row.path);
    return text;
}

fs::path folder_of_systems() { return fs::path(models_folder()) / "systems"; }

fs::path system_file(const std::string& name_or_file, const fs::path& folder) {
    fs::path path = name_or_file;
    if (name_or_file.find('/') != std::string::npos || path.extension() == ".json")
        return path.is_absolute() ? path : folder / path;
    path = folder_of_systems() / (name_or_file + ".json");
    if (fs::exists(path)) return path;
    std::string names;
    for (const std::string& name : system_names()) names += (names.empty() ? "" : ", ") + name;
    fail_input("I22", "unknown system '" + name_or_file + "'", "known systems: " + names);
}

// The texts and leaves of a system file, which override the ones in the file that it extends.
struct SystemTree {
    std::map<std::string, std::string> texts;
    Leaves leaves;
};

SystemTree read_system_tree(const fs::path& path, unsigned depth) {
    constexpr unsigned kDeepest = 8;
    const std::string file = "system file " + path.string();
    const json root = read_figures(path.string(), file);
    SystemTree tree;
    for (const auto& [key, value] : root.items()) {
        if (key == "parameters") continue;
        if (key != "name" && key != "description" && key != "chip" && key != "topology" && key != "extends")
            fail_figure(file, key, "unknown key",
                        "a system file has name, description, chip, topology or extends, and parameters");
        if (!value.is_string()) fail_figure(file, key, "must be text");
    }
    if (const auto extends = root.find("extends"); extends != root.end()) {
        if (depth == kDeepest)
            fail_figure(file, "extends", "goes more than 8 files deep: does a file extend itself?");
        tree = read_system_tree(system_file(extends->get<std::string>(), path.parent_path()), depth + 1);
    }
    for (const auto& [key, value] : root.items())
        if (key != "parameters") tree.texts[key] = value.get<std::string>();
    if (const auto parameters = root.find("parameters"); parameters != root.end()) {
        Leaves own;
        collect_figures("", *parameters, std::make_shared<const Says>(Says{{}, {}, {}, file}), own);
        for (auto& [leaf_path, leaf] : own) tree.leaves.insert_or_assign(leaf_path, std::move(leaf));
    }
    return tree;
}

// Applies a word such as "system.link.rate=20GB/s".
void override_system(const std::string& word, Leaves& leaves) {
    const size_t equals = std::min(word.find('='), word.size());
    const std::string path = word.substr(kSystemPrefix.size(), equals - kSystemPrefix.size());
    const SystemRow* const row = row_of(path);
    if (row == nullptr) fail_input("I21", "--set " + word + ": unknown parameter of systems", parameters_text());
    const std::string text = word.substr(std::min(equals + 1, word.size()));
    double value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    const std::string unit(end, text.data() + text.size());
    if (error != std::errc{} || factor_of(row->of, unit) == 0)
        fail_input("I21", "--set " + word + ": '" + text + "' is not one of its values", unit_words(row->of));
    leaves[path] = {value, text.substr(0, text.size() - unit.size()),
                    std::make_shared<const Says>(Says{unit, "assumed", "--set", "--set " + word}), true};
}

void store_figures(const std::string& file, const Leaves& leaves, SystemModel& model) {
    for (const auto& [path, leaf] : leaves)
        if (row_of(path) == nullptr)
            fail_figure(leaf.says->file, path, "unknown parameter", "parameters are " + parameters_text());
    for (const SystemRow& row : kRows) {
        const auto found = leaves.find(row.path);
        const std::string_view path = row.path;
        bool needed = path.starts_with("die_link.") && model.dies > 1;
        for (size_t i = 0; i < model.networks.size(); ++i)
            needed = needed || (path.starts_with("network" + std::to_string(i + 1) + ".") && model.networks[i].members > 1);
        if (found == leaves.end()) {
            if (row.required || (needed && row.of != kCount)) fail_figure(file, row.path, "is missing", row.text);
            continue;
        }
        const Leaf& leaf = found->second;
        const Says& says = *leaf.says;
        check_grade(says.file, row.path, says);
        const double factor = factor_of(row.of, says.unit);
        if (factor == 0)
            fail_figure(says.file, row.path,
                        says.unit.empty() ? "has no unit" : "unit '" + says.unit + "' does not fit",
                        unit_words(row.of));
        const double value = leaf.value * factor;
        if (!(value >= row.least && value <= row.most) || (row.of == kCount && value != std::floor(value))) {
            const std::string what = leaf.text + " " + says.unit + " is out of range";
            if (leaf.overridden) fail_input("I21", says.file + ": " + what, row.text);
            fail_figure(says.file, row.path, what, row.text);
        }
        row.field(model) = static_cast<uint64_t>(std::llround(value));
        model.provenance[row.path] = {leaf.text + (says.unit.empty() ? "" : " " + says.unit), says.grade, says.source};
    }
}

}  // namespace

std::vector<std::string> system_names() {
    std::vector<std::string> names;
    std::error_code error;
    for (const auto& entry : fs::directory_iterator(folder_of_systems(), error))
        if (entry.path().extension() == ".json") names.push_back(entry.path().stem().string());
    std::sort(names.begin(), names.end());
    return names;
}

SystemModel load_system(const std::string& name_or_file, std::span<const std::string> overrides) {
    const fs::path path = system_file(name_or_file, "");
    const std::string file = "system file " + path.string();
    SystemTree tree = read_system_tree(path, 0);
    for (const std::string& word : overrides)
        if (word.starts_with(kSystemPrefix)) override_system(word, tree.leaves);
    SystemModel model;
    const std::pair<const char*, std::string*> texts[] = {
        {"name", &model.name}, {"description", &model.description}, {"chip", &model.chip}};
    for (const auto& [key, into] : texts) {
        if (!tree.texts.contains(key)) fail_figure(file, key, "is missing");
        *into = tree.texts[key];
    }
    const std::string& topology = tree.texts["topology"];
    if (topology != "full_mesh" && topology != "switch")
        fail_figure(file, "topology", topology.empty() ? "is missing" : "unknown topology '" + topology + "'",
                    "topologies are full_mesh, switch");
    model.topology = topology == "switch" ? SystemModel::Topology::kSwitch : SystemModel::Topology::kFullMesh;
    store_figures(file, tree.leaves, model);
    return model;
}

}  // namespace ptosim
