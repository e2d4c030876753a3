// ptosim estimate STEP.json: the time of a step of a program of many chips (docs/models.md).
#include <filesystem>
#include <iomanip>
#include <iostream>
#include <memory>
#include <sstream>

#include "sim/faces/cli/commands.h"
#include "sim/faces/cli/step_file.h"
#include "sim/files/json.h"
#include "sim/files/output_file.h"
#include "sim/session/output_paths.h"
#include "sim/system/chakra.h"
#include "sim/system/kernel_tables.h"

namespace ptosim::cli {
namespace {

namespace fs = std::filesystem;

struct EstimateOptions {
    std::string step, system, json, chakra, tables;
    std::vector<std::string> overrides;
};

void write(const fs::path& path, const std::string& text) {
    if (path.has_parent_path()) make_output_folder(path.parent_path());
    OutputFile file(path, "I02");
    file.write(text);
    file.commit();
}

void write_chakra(const std::string& prefix, const SystemStep& step, const StepTime& time, uint64_t ranks) {
    for (uint64_t rank = 0; rank < ranks; ++rank)
        write(prefix + "." + std::to_string(rank) + ".et", chakra_of_step(step, time, rank, ranks));
    write(prefix + ".groups.json", chakra_groups(step, ranks));
}

Json as_json(const SystemModel& system, const SystemStep& step, const StepTime& time) {
    Json json{{"step", step.name},
              {"system", system.name},
              {"ranks", all_ranks(system)},
              {"repeat", step.repeat},
              {"time_us", time.us},
              {"work_us", time.work_us},
              {"exposed_us", time.exposed_us},
              {"nodes", Json::array()},
              {"critical", Json::array()}};
    for (size_t i = 0; i < step.nodes.size(); ++i)
        json["nodes"].push_back({{"name", step.nodes[i].name},
                                 {"begin_us", time.nodes[i].begin},
                                 {"end_us", time.nodes[i].end},
                                 {"alone_us", time.nodes[i].alone}});
    for (const size_t node : time.critical) json["critical"].push_back(step.nodes[node].name);
    return json;
}

std::string as_text(const SystemModel& system, const SystemStep& step, const StepTime& time) {
    std::ostringstream text;
    text << std::fixed << std::setprecision(3) << step.name << ": " << time.us << " us on " << all_ranks(system)
         << " devices of " << system.name;
    if (step.repeat > 1) text << ", " << step.repeat << " times " << time.us / static_cast<double>(step.repeat) << " us";
    text << "\nwork " << time.work_us << " us, communication that no work hides " << time.exposed_us << " us\n\n";
    size_t width = 4;
    for (const StepNode& node : step.nodes) width = std::max(width, node.name.size());
    const auto row = [&](const std::string& name, const auto& begin, const auto& end, const auto& alone) {
        text << name << std::string(width - name.size(), ' ') << std::setw(14) << begin << std::setw(14) << end
             << std::setw(14) << alone << "\n";
    };
    row("node", "begin us", "end us", "alone us");
    for (size_t i = 0; i < step.nodes.size(); ++i)
        row(step.nodes[i].name, time.nodes[i].begin, time.nodes[i].end, time.nodes[i].alone);
    text << "\ncritical path: ";
    for (size_t i = 0; i < time.critical.size(); ++i) text << (i == 0 ? "" : ", ") << step.nodes[time.critical[i]].name;
    text << "\n";
    return text.str();
}

int estimate(const EstimateOptions& options) {
    OutputPaths places;
    places.add_input(options.step, "the step");
    places.add_output(options.json, "--json");
    if (options.system.empty())
        fail_input("I00", "estimate needs --system NAME", "ptosim chips --systems lists them");
    const SystemModel system = load_system(options.system, options.overrides);
    const SystemStep step = read_step(options.step, system);
    const StepTime time = time_of_step(system, step);
    if (!options.chakra.empty()) write_chakra(options.chakra, step, time, all_ranks(system));
    if (!options.tables.empty())
        for (const auto& [path, text] : kernel_tables(system, step)) write(fs::path(options.tables) / path, text);
    if (options.json != "-") std::cout << as_text(system, step, time);
    if (!options.json.empty()) write_result(options.json, dump_json(as_json(system, step, time), 2) + "\n");
    return kOk;
}

}  // namespace

void add_estimate(const Command& app, Action& action) {
    auto options = std::make_shared<EstimateOptions>();
    const Command command =
        app.add_subcommand("estimate", "Estimate a step of a program of many chips, also between hosts");
    command.add_option("STEP", options->step, "A JSON file: work of a chip, and collectives").required();
    command.add_option("--system", options->system, "A system's name, or a system file");
    command.add_option("--set", options->overrides, "system.PATH=VALUE: override one parameter of the system")
        .type_name("PATH=VALUE")
        .allow_extra_args(false);
    command.add_option("--json", options->json, "Write as JSON to a file, or - for standard output");
    command
        .add_option("--chakra", options->chakra,
                    "Write PREFIX.RANK.et, execution traces for ASTRA-sim, and PREFIX.groups.json")
        .type_name("PREFIX");
    command.add_option("--tables", options->tables, "Write a profiling database for msmodeling").type_name("DIR");
    command.callback([options, &action] { action = [options] { return estimate(*options); }; });
}

}  // namespace ptosim::cli
