// ptosim cost: the time of fragments, for compilers (docs/running.md).
#include <iostream>
#include <memory>
#include <string>

#include "sim/faces/cli/commands.h"
#include "sim/session/cost_process.h"

namespace ptosim::cli {
namespace {

int answer_requests(const SessionOptions& options) {
    CostOracle oracle(options);
    std::string line;
    while (std::getline(std::cin, line)) {
        if (line.find_first_not_of(" \t\r") == std::string::npos) continue;
        std::cout << oracle.answer(line) << '\n' << std::flush;
    }
    return kOk;
}

}  // namespace

void add_cost(const Command& app, Action& action) {
    auto options = std::make_shared<SessionOptions>();
    options->chip = "ascend910b1";
    const Command command =
        app.add_subcommand("cost", "Answer requests for the time of fragments, as JSON lines");
    command.add_option("--chip", options->chip, "A chip's name, or a chip file")
        .capture_default_str();
    command.add_option("--set", options->overrides, "Override one chip parameter")
        .type_name("PATH=VALUE")
        .allow_extra_args(false);
    command.callback([options, &action] { action = [options] { return answer_requests(*options); }; });
}

}  // namespace ptosim::cli
