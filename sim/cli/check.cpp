// ptosim check KERNEL
#include <memory>

#include "sim/cli/commands.h"
#include "sim/cli/run_options.h"

namespace ptosim::cli {

void add_check(const Command& app, Action& action) {
    auto options = std::make_shared<RunOptions>();
    options->check = "all";
    options->scope = true;
    options->schedules = ScheduleChoice::kCheapCount;
    options->schedules_if_cheap = true;
    options->paths = PathBudget::kRuns;
    const Command command =
        app.add_subcommand("check", "Run a kernel under every checker: races, flags, memory");
    add_run_options(command, *options);
    command.callback([options, &action] { action = [options] { return run_kernel(*options); }; });
}

}  // namespace ptosim::cli
