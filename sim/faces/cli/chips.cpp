// ptosim chips [NAME]
#include <array>
#include <iostream>
#include <memory>

#include "sim/faces/cli/commands.h"
#include "sim/files/json.h"
#include "sim/machine/model/chip_model.h"
#include "sim/machine/model/chip_schema.h"
#include "sim/machine/model/system_model.h"
#include "sim/session/output_paths.h"
#include "sim/system/collectives.h"

namespace ptosim::cli {
namespace {

struct Options {
    std::string chip;
    std::vector<std::string> overrides;
    std::string json;
    std::vector<std::string> difference;  // two chips
    bool schema = false;
    bool systems = false;
    std::string system;
    std::string collective;
    uint32_t ranks = 0;
    uint32_t kib = 0;
};

int estimate_collective(const Options& options) {
    if (options.system.empty())
        fail_input("I00", "--collective " + options.collective + " needs a system", "ptosim chips --systems lists them");
    const SystemModel model = load_system(options.system, options.overrides);
    const std::optional<Collective> collective = parse_collective(options.collective);
    if (!collective) {
        std::string names;
        for (const std::string_view name : kCollectiveNames) names += (names.empty() ? "" : ", ") + std::string(name);
        fail_input("I00", "--collective " + options.collective + ": unknown", names);
    }
    const uint64_t ranks = options.ranks == 0 ? model.devices() : options.ranks;
    const CollectiveTime time = collective_time(model, *collective, uint64_t{options.kib} << 10, ranks);
    Json json{{"system", model.name}, {"collective", options.collective},
              {"ranks", ranks},       {"kib", options.kib},
              {"time_us", time.us},   {"levels", Json::array()}};
    for (const CollectivePart& part : time.parts)
        json["levels"].push_back({{"level", part.level},
                                  {"ranks", part.ranks},
                                  {"start_us", part.start_us},
                                  {"bytes", part.bytes},
                                  {"time_us", part.us}});
    write_result(options.json.empty() ? "-" : options.json, dump_json(json, 2) + "\n");
    return kOk;
}

int list_systems() {
    for (const std::string& name : system_names()) {
        const SystemModel model = load_system(name, {});
        std::cout << name << std::string(name.size() < 16 ? 16 - name.size() : 1, ' ') << model.description << "\n";
    }
    return kOk;
}

int show_system(const Options& options) {
    const SystemModel model = load_system(options.system, options.overrides);
    const char* const topology = model.topology == SystemModel::Topology::kSwitch ? "switch" : "full_mesh";
    Json json{{"name", model.name},         {"description", model.description},
              {"chip", model.chip},         {"topology", topology},
              {"devices", model.devices()}, {"parameters", Json::object()}};
    for (const auto& [path, p] : model.provenance)
        json["parameters"][path] = {{"value", p.value}, {"grade", p.grade}, {"source", p.source}};
    if (!options.json.empty()) {
        write_result(options.json, dump_json(json, 2) + "\n");
        return kOk;
    }
    std::cout << model.name << ": " << model.description << "\n"
              << model.devices() << " devices, chip " << model.chip << ", " << topology << "\n\n";
    for (const auto& [path, p] : model.provenance) {
        const auto pad = [](std::string text, size_t width) {
            text.resize(std::max(width, text.size()), ' ');
            return text;
        };
        std::cout << pad(path, 18) << pad(p.value, 12) << pad(p.grade, 10) << p.source << "\n";
    }
    return kOk;
}

int list_chips() {
    for (const std::string& name : chip_names()) {
        const ChipModel model = load_chip(name, {});
        std::cout << name << std::string(name.size() < 16 ? 16 - name.size() : 1, ' ')
                  << model.description << "\n";
    }
    return kOk;
}

Json as_json(const ChipModel& model) {
    Json parameters;
    for (const ParameterInfo& info : parameter_list()) {
        const ChipModel::Provenance* const stated = model.stated(info.path);
        if (stated == nullptr) continue;
        parameters[info.path] = {{"value", stated->value},
                                 {"grade", name(stated->grade)},
                                 {"source", stated->source},
                                 {"description", info.description}};
    }
    return {{"name", model.name},
            {"description", model.description},
            {"arch", name(model.arch)},
            {"parameters", parameters}};
}

int show_chip(const Options& options) {
    const ChipModel model = load_chip(options.chip, options.overrides);
    if (!options.json.empty()) {
        write_result(options.json, dump_json(as_json(model), 2) + "\n");
        return kOk;
    }
    std::cout << model.name << ": " << model.description << "\n"
              << "architecture " << name(model.arch) << "\n\n";
    size_t path_width = 0, value_width = 0;
    std::vector<std::pair<std::string, ChipModel::Provenance>> stated;
    for (const ParameterInfo& info : parameter_list())
        if (const ChipModel::Provenance* const found = model.stated(info.path)) stated.emplace_back(info.path, *found);
    for (const auto& [path, p] : stated) {
        path_width = std::max(path_width, path.size());
        value_width = std::max(value_width, p.value.size());
    }
    const auto pad = [](std::string_view word, size_t width) {
        std::string text(word);
        text.resize(std::max(width, text.size()), ' ');
        return text;
    };
    for (const auto& [path, p] : stated)
        std::cout << pad(path, path_width) << "  " << pad(p.value, value_width) << "  "
                  << pad(p.overridden ? "override" : name(p.grade), 16) << "  " << p.source << "\n";
    return kOk;
}

// The parameters in which two chips differ.
int compare_chips(const Options& options) {
    const ChipModel a = load_chip(options.difference[0], options.overrides);
    const ChipModel b = load_chip(options.difference[1], options.overrides);
    const auto word = [](const ChipModel& chip, const std::string& path,
                         bool grade) -> std::string {
        const ChipModel::Provenance* const stated = chip.stated(path);
        if (stated == nullptr) return grade ? "" : "-";
        return std::string(grade ? name(stated->grade) : stated->value);
    };
    Json json{{"a", a.name}, {"b", b.name}};
    std::vector<std::array<std::string, 4>> table{{"", a.name, b.name, "grades"}};
    if (a.arch != b.arch) {
        table.push_back({"arch", std::string(name(a.arch)), std::string(name(b.arch)), ""});
        json["arch"] = {{"a", name(a.arch)}, {"b", name(b.arch)}};
    }
    json["parameters"] = Json::object();
    for (const ParameterInfo& info : parameter_list()) {
        const std::string in_a = word(a, info.path, false), in_b = word(b, info.path, false);
        if (in_a == in_b) continue;
        const std::string of_a = word(a, info.path, true), of_b = word(b, info.path, true);
        table.push_back({info.path, in_a, in_b,
                         of_a == of_b || of_b.empty() ? of_a
                         : of_a.empty()               ? of_b
                                                      : of_a + ", " + of_b});
        json["parameters"][info.path] = {
            {"a", in_a}, {"b", in_b}, {"grade_a", of_a}, {"grade_b", of_b}};
    }
    if (!options.json.empty()) write_result(options.json, dump_json(json, 2) + "\n");
    if (options.json == "-") return kOk;
    if (table.size() == 1) {
        std::cout << a.name << " and " << b.name << " have the same parameters\n";
        return kOk;
    }
    std::array<size_t, 3> widths{};
    for (const auto& row : table)
        for (size_t i = 0; i < widths.size(); ++i) widths[i] = std::max(widths[i], row[i].size());
    for (const auto& row : table) {
        for (size_t i = 0; i < widths.size(); ++i)
            std::cout << row[i] << std::string(widths[i] - row[i].size() + 2, ' ');
        std::cout << row[3] << "\n";
    }
    return kOk;
}

}  // namespace

void add_chips(const Command& app, Action& action) {
    auto options = std::make_shared<Options>();
    const Command command = app.add_subcommand(
        "chips", "List chips; show one with units, grades and sources of its parameters");
    command.add_option("NAME", options->chip, "A chip's name, or a chip file");
    command.add_option("--set", options->overrides, "PATH=VALUE: override one parameter")
        .type_name("PATH=VALUE")
        .allow_extra_args(false);
    command.add_option("--diff", options->difference, "Show the differences between two chips")
        .type_name("A B")
        .expected(2)
        .excludes("NAME");
    command.add_flag("--schema", options->schema, "Print the JSON schema of chip files");
    command.add_flag("--systems", options->systems, "List systems of several chips (PTOSIM_SYSTEM)");
    command.add_option("--system", options->system, "Show a system, given by its name or file");
    command.add_option("--collective", options->collective, "With --system: estimate the time of a collective")
        .type_name("NAME");
    command.add_option("--ranks", options->ranks, "With --collective: number of devices; default: all devices of a "
                                                  "host");
    command.add_option("--kib", options->kib, "With --collective: KiB per rank");
    command.add_option("--json", options->json,
                       "Write as JSON to a file, or - for standard output");
    command.callback([options, &action] {
        action = [options]() -> int {
            OutputPaths places;
            places.add_input(options->chip, "the chip");
            places.add_input(options->system, "the system");
            for (const std::string& chip : options->difference)
                places.add_input(chip, "the chip " + chip);
            places.add_output(options->json, "--json");
            if (options->schema) {
                std::cout << chip_schema();
                return kOk;
            }
            if (options->systems) return list_systems();
            if (!options->collective.empty()) return estimate_collective(*options);
            if (!options->system.empty()) return show_system(*options);
            if (!options->difference.empty()) return compare_chips(*options);
            return options->chip.empty() ? list_chips() : show_chip(*options);
        };
    });
}

}  // namespace ptosim::cli
