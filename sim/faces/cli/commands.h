// The subcommands of ptosim. Each adds itself to the parser and sets an action.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "isa/core/diagnostic.h"
#include "sim/faces/cli/options.h"
#include "sim/session/documents.h"

namespace ptosim::cli {

// The action of a subcommand. Returns the exit code; errors are thrown.
using Action = std::function<int()>;

// The words of this command line, beginning with the command.
const std::vector<std::string>& own_words();

void add_run(const Command& app, Action& action);
void add_capture(const Command& app, Action& action);
void add_check(const Command& app, Action& action);
void add_build(const Command& app, Action& action);
void add_chips(const Command& app, Action& action);
void add_isa(const Command& app, Action& action);
void add_debug(const Command& app, Action& action);
void add_lsp(const Command& app, Action& action);
// The page of an instruction, an operation or a code; empty for other words.
std::string isa_page(const std::string& word);
void add_sweep(const Command& app, Action& action);
void add_recorded_report(const Command& app, Action& action);
void add_diff(const Command& app, Action& action);
void add_worker(const Command& app, Action& action);
void add_cost(const Command& app, Action& action);
void add_estimate(const Command& app, Action& action);
void add_mcp(const Command& app, Action& action);
void add_op(const Command& app, Action& action);
void add_compare(const Command& app, Action& action);
void add_serve(const Command& app, Action& action);
void add_simpler_setup(const Command& app, Action& action);
void add_exec(const Command& app, Action& action);
void add_toolkit(const Command& app, Action& action);
// The names of the faces that PTOSIM_FACES builds, for a program without them: they end with an error.
void add_absent_faces(const Command& app, Action& action);

}  // namespace ptosim::cli
