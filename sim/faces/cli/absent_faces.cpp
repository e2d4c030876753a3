// Commands of a program that was built without PTOSIM_FACES.
#include "isa/core/diagnostic.h"
#include "sim/faces/cli/commands.h"

namespace ptosim::cli {
namespace {

void add_absent(const Command& app, Action& action, const std::string& name) {
    const Command command = app.add_subcommand(name, "Not in this program; scripts/build.sh builds all");
    command.take_all_words();
    command.callback([name, &action] {
        action = [name]() -> int {
            fail_input("I00", "this program was built without the command '" + name + "'",
                       "scripts/build.sh builds all; scripts/demo.sh builds what a single kernel needs");
        };
    });
}

}  // namespace

void add_absent_faces(const Command& app, Action& action) {
    for (const char* name : {"sweep", "simpler-setup", "exec", "toolkit", "as"}) add_absent(app, action, name);
}

}  // namespace ptosim::cli
