#include "sim/core/flag_check.h"

#include <string>

#include "sim/core/buffer_tokens.h"
#include "sim/core/control.h"

namespace ptosim {
namespace {

constexpr unsigned kCrossIds = 16;

}  // namespace

bool check_flag(const Instruction& instruction, CoreType core, unsigned flag_ids,
                Problem& problem) {
    const Attributes& a = instruction.attributes;
    const bool local =
        instruction.opcode == Opcode::kSET_FLAG || instruction.opcode == Opcode::kWAIT_FLAG;
    if (is_buffer_token(instruction.opcode) && a.event_id >= BufferTokens::kIds) {
        problem.code = "E08";
        problem.message = "buffer id " + std::to_string(a.event_id) + " is out of range";
        problem.hint = "ids are 0 to " + std::to_string(BufferTokens::kIds - 1);
        return false;
    }
    const bool cross = is_cross_set(instruction.opcode) || is_cross_wait(instruction.opcode);
    const bool intra =
        instruction.opcode == Opcode::kINTRA_SET || instruction.opcode == Opcode::kINTRA_WAIT;
    // The AIC tells the flags of its two AIVs apart by their numbers.
    const unsigned ids = local                             ? flag_ids
                         : intra && core == CoreType::kAIC ? 2 * kCrossIds
                                                           : kCrossIds;
    if ((local || cross) && a.event_id >= ids) {
        problem.code = local ? "E08" : "C01";
        problem.message = "flag id " + std::to_string(a.event_id) + " is out of range of an " +
                          std::string(name(core));
        problem.hint = "ids are 0 to " + std::to_string(ids - 1);
        return false;
    }
    if (instruction.opcode == Opcode::kPIPE_BARRIER && a.destination_pipe != Pipe::kAll &&
        !has_pipe(core, a.destination_pipe)) {
        problem.code = "E09";
        problem.message = "barrier on pipe " + std::string(name(a.destination_pipe)) +
                          ", which an " + std::string(name(core)) + " does not have";
        return false;
    }
    if (!local) return true;
    for (Pipe pipe : {a.source_pipe, a.destination_pipe}) {
        if (pipe != Pipe::kAll && has_pipe(core, pipe)) continue;
        problem.code = "E09";
        problem.message = "flag " + std::string(name(a.source_pipe)) + "->" +
                          std::string(name(a.destination_pipe)) + ": an " +
                          std::string(name(core)) + " has no pipe " + std::string(name(pipe));
        return false;
    }
    if (a.source_pipe == a.destination_pipe) {
        problem.code = "E09";
        problem.message = "flag from pipe " + std::string(name(a.source_pipe)) + " to itself";
        problem.hint = "use a barrier to order instructions of one pipe";
        return false;
    }
    return true;
}

}  // namespace ptosim
