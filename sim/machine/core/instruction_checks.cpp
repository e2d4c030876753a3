#include "sim/machine/core/instruction_checks.h"

#include <algorithm>
#include <optional>

#include "isa/core/signals.h"
#include "isa/table/access.h"
#include "isa/table/internal_flags.h"
#include "isa/table/remote_operands.h"
#include "sim/machine/core/buffer_tokens.h"
#include "sim/machine/core/control.h"
#include "sim/machine/model/parameters.h"

namespace ptosim {
namespace {

// Size of a memory, and where the size is defined.
std::string has_bytes(Space space, const ChipModel& model) {
    const std::string path = buffer_path(space);
    const ChipModel::Provenance* const stated =
        model.stated(model.buffer_bytes[static_cast<size_t>(space)]);
    const bool set = stated != nullptr && stated->overridden;
    return std::string(name(space)) + " has " +
           std::to_string(model.buffer_bytes[static_cast<size_t>(space)]) + " (" + path +
           (set ? " of --set)" : " of chip " + model.name + ")");
}

// Checks that a tile lies in its buffer: A01 no such buffer on this core, A02 larger than the
// buffer, A03 beyond its end. (Alignment depends on the architecture: isa/legality.) `reach`: bytes
// that the instruction touches, if beyond the tile. `used`: bytes of scratch that it touches, if
// they are known.
bool check_tile(const Tile& tile, bool peer, uint64_t reach, std::optional<uint64_t> used,
                CoreType core, const ChipModel& model, Problem& problem) {
    const std::string space(name(tile.space));
    const uint64_t capacity = model.reach(tile.space);
    const bool here = peer || (tile.space == Space::kUB) == (core == CoreType::kAIV);
    if (!here || capacity == 0) {
        problem.code = "A01";
        problem.message = std::string(name(core)) + " of " + model.name + " has no " + space;
        problem.hint = here ? "use another memory or another chip"
                            : "put the instruction into a section of the other core type";
        return false;
    }
    // A window of a larger tile extends as far as it is used, and a tile of one row may be one, or
    // may be used beyond its end (S02). So do the operands of products, because their boxes are
    // packed by their valid region. Any other tile has all its bytes.
    Tile dense = tile;
    set_dense_pitch(dense);
    const bool one_row = tile.rows == 1 && !tile.boxed();
    const bool by_use = dense.pitch != tile.pitch || one_row || tile.space == Space::kL0A ||
                        tile.space == Space::kL0B || tile.space == Space::kL0C;
    const uint64_t size =
        used.value_or(std::max(by_use ? tile.touched_bytes() : tile.byte_size(), reach));
    if (tile.address + size <= capacity) return true;
    const bool too_large = size > capacity;
    problem.code = too_large ? "A02" : "A03";
    problem.message = to_text(tile) +
                      (too_large ? " needs " + std::to_string(size) + " bytes, "
                                 : " ends at byte " + std::to_string(tile.address + size) + ", ") +
                      has_bytes(tile.space, model);
    problem.hint = too_large
                       ? "use a smaller tile, or a chip with more"
                       : "the last address at which it fits is " +
                             std::to_string((capacity - size) / kTileAlignment * kTileAlignment);
    return false;
}

}  // namespace

bool check_tiles(const Instruction& instruction, CoreType core, const ChipModel& model,
                 Problem& problem) {
    for (unsigned i = 0; i < instruction.operand_count; ++i) {
        const Operand& operand = instruction.operands[i];
        const bool scratch = info(instruction.opcode).operands[i].role == OperandRole::kTmp;
        std::optional<uint64_t> used;
        if (scratch) used = used_scratch(instruction, model.arch);
        if (used == 0) continue;
        uint64_t reach = 0;
        if (!scratch && operand.is_tile() && operand.tile.rows == 1 &&
            operand.tile.valid_cols > operand.tile.cols)
            reach =
                (static_cast<uint64_t>(operand.tile.valid_cols) * bits(operand.tile.dtype) + 7) / 8;
        problem.operand = static_cast<int>(i);
        if (operand.is_tile() &&
            !check_tile(operand.tile, remote_cores_of(instruction, i) != kOwnCore, reach, used,
                        core, model, problem))
            return false;
    }
    return true;
}

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
    // The AIC distinguishes the flags of its two AIVs by their numbers.
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

bool check_pipe(const Instruction& instruction, Pipe pipe, CoreType core, Problem& problem) {
    if (pipe == Pipe::kAll || has_pipe(core, pipe)) return true;
    problem.code = "L01";
    problem.message = std::string(info(instruction.opcode).name) + " needs pipe " +
                      std::string(name(pipe)) + ", which an " + std::string(name(core)) +
                      " does not have";
    problem.hint = "put it into a section or function of the other core type";
    return false;
}

}  // namespace ptosim
