// ptosim chips [NAME]
#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>

#include "sim/cli/commands.h"
#include "sim/model/chip_model.h"

namespace ptosim::cli {
namespace {

struct Options {
    std::string chip;
    std::vector<std::string> overrides;
    std::string json;
};

int list_chips() {
    for (const std::string& name : chip_names()) {
        const ChipModel model = load_chip(name, {});
        std::cout << name << std::string(name.size() < 16 ? 16 - name.size() : 1, ' ')
                  << model.description << "\n";
    }
    return kOk;
}

nlohmann::ordered_json as_json(const ChipModel& model) {
    nlohmann::ordered_json parameters;
    for (const ParameterInfo& info : parameter_list()) {
        const auto found = model.provenance.find(info.path);
        if (found == model.provenance.end()) continue;
        parameters[info.path] = {{"value", found->second.value},
                                 {"grade", found->second.grade},
                                 {"source", found->second.source},
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
        write_result(options.json, as_json(model).dump(2) + "\n");
        return kOk;
    }
    std::cout << model.name << ": " << model.description << "\n"
              << "architecture " << name(model.arch) << "\n\n";
    size_t path_width = 0, value_width = 0;
    for (const auto& [path, p] : model.provenance) {
        path_width = std::max(path_width, path.size());
        value_width = std::max(value_width, p.value.size());
    }
    const auto pad = [](std::string text, size_t width) {
        text.resize(std::max(width, text.size()), ' ');
        return text;
    };
    for (const ParameterInfo& info : parameter_list()) {
        const auto found = model.provenance.find(info.path);
        if (found == model.provenance.end()) continue;
        const ChipModel::Provenance& p = found->second;
        std::cout << pad(info.path, path_width) << "  " << pad(p.value, value_width) << "  "
                  << pad(p.overridden ? "override" : p.grade, 16) << "  " << p.source << "\n";
    }
    return kOk;
}

}  // namespace

void add_chips(CLI::App& app, Action& action) {
    auto options = std::make_shared<Options>();
    CLI::App* command = app.add_subcommand(
        "chips", "List chips; show one with units, grades and sources of its parameters");
    command->add_option("NAME", options->chip, "A chip's name, or a chip file");
    command->add_option("--set", options->overrides, "PATH=VALUE: override one parameter")
        ->type_name("PATH=VALUE")->allow_extra_args(false);
    command->add_option("--json", options->json, "Write as JSON to a file, or - for standard output");
    command->callback([options, &action] {
        action = [options] { return options->chip.empty() ? list_chips() : show_chip(*options); };
    });
}

}  // namespace ptosim::cli
