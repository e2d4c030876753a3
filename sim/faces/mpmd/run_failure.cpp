#include "sim/faces/mpmd/run_failure.h"

#include <cstdlib>

#include "sim/faces/mpmd/problem.h"

namespace ptosim::mpmd {
namespace {

// Error codes of simpler's runtime (PTO2_ERROR_...) with a configurable size.
struct Code {
    int number;
    const char *what, *variable, *option;
};
constexpr Code kCodes[] = {
    {1, "a scope submitted more tasks than the window has slots", "PTO2_RING_TASK_WINDOW", "ring_task_window"},
    {2, "its heap has no room for the next task's tensors", "PTO2_RING_HEAP", "ring_heap"},
    {3, "its window has no free slot for the next task", "PTO2_RING_TASK_WINDOW", "ring_task_window"},
    {4, "its pool of dependencies is full", "PTO2_RING_DEP_POOL", "ring_dep_pool"},
};

}  // namespace

RunFailure failure_of(const Participants& participants) {
    constexpr int kNotSaid = -1;  // no code, also if it was stopped
    int result = 0;
    for (const Participant* participant : participants)
        if (!participant->is_core && participant->result != 0 && (result == 0 || result == kNotSaid))
            result = participant->result;
    if (result == 0) return {};
    RunFailure failure;
    failure.what = "the runtime ended it with code " + std::to_string(std::abs(result));
    for (const Code& code : kCodes) {
        if (result != -code.number || result == kNotSaid) continue;
        const char* const set = std::getenv(code.variable);
        failure.what += std::string(": ") + code.what;
        failure.hint = "set " + std::string(code.variable) + " (" + code.option + " of PyPTO's RunConfig) to more" +
                       (set == nullptr ? "" : " than " + std::string(set)) +
                       ", or end scopes earlier to free the resources of their tasks";
    }
    return failure;
}

Diagnostic thrown_by_processor(const std::string& what) {
    return problem("H31",
                   "the code of a processor threw an exception: " + what.substr(0, what.find("\nStack trace:")),
                   "orchestration functions and schedulers must not");
}

}  // namespace ptosim::mpmd
