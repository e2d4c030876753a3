// agent.json: the answer to "what limits this run, and what to change" for programs that have
// little room (docs/formats.md).
#pragma once

#include <string>

#include "traces/analyse/analysis.h"

namespace ptosim {

inline constexpr size_t kAgentBytes = 4096;

// At most kAgentBytes, whatever the run: of lists that are too long the first are reported, and how
// many there are.
std::string agent_json(const Recording& recording, const Analysis& analysis);

}  // namespace ptosim
