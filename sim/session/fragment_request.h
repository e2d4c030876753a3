// Requests for the cost of fragments as lines of JSON, and their answers (docs/running.md).
#pragma once

#include <string>
#include <string_view>

#include "sim/session/fragment_cost.h"

namespace ptosim {

// Version of requests and answers. It changes when an old request could have another meaning.
inline constexpr int kCostVersion = 1;

// One line, without its end. Errors are part of the answer; nothing is thrown.
std::string answer_cost_request(FragmentMachine& machine, std::string_view line);
// A request for the cost of a fragment, and the cost in its answer. The latter throws DiagnosticError.
std::string cost_request(const Fragment& fragment);
FragmentCost cost_in_answer(const std::string& answer);

}  // namespace ptosim
