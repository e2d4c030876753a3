#include "sim/machine/core/validator.h"

#include <algorithm>
#include <utility>

#include "isa/core/signals.h"
#include "isa/legality/legality.h"
#include "isa/table/access.h"
#include "isa/table/internal_flags.h"
#include "isa/table/remote_operands.h"
#include "sim/machine/core/control.h"
#include "sim/machine/model/parameters.h"

namespace ptosim {
namespace {

// Size of a memory, and where the size is defined.
std::string has_bytes(Space space, const ChipModel& model) {
    const std::string path = buffer_path(space);
    const ChipModel::Provenance* const stated = model.stated(model.buffer_bytes[static_cast<size_t>(space)]);
    const bool set = stated != nullptr && stated->overridden;
    return std::string(name(space)) + " has " +
           std::to_string(model.buffer_bytes[static_cast<size_t>(space)]) + " (" + path +
           (set ? " of --set)" : " of chip " + model.name + ")");
}

// Checks that a tile lies in its buffer: A01 no such buffer on this core, A02 larger than the buffer, A03 beyond its
// end. (Alignment depends on the architecture: isa/legality.) `reach`: bytes that the instruction touches, if beyond the
// tile. `used`: bytes of scratch that it touches, if they are known.
bool check_tile(const Tile& tile, bool peer, uint64_t reach, std::optional<uint64_t> used, CoreType core,
                const ChipModel& model, Problem& problem) {
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
    // A window of a larger tile extends as far as it is used, and a tile of one row may be one, or may be used beyond its
    // end (S02). So do the operands of
    // products, because their boxes are packed by their valid region. Any other tile has all its bytes.
    Tile dense = tile;
    set_dense_pitch(dense);
    const bool one_row = tile.rows == 1 && !tile.boxed();
    const bool by_use = dense.pitch != tile.pitch || one_row || tile.space == Space::kL0A ||
                        tile.space == Space::kL0B || tile.space == Space::kL0C;
    const uint64_t size = used.value_or(std::max(by_use ? tile.touched_bytes() : tile.byte_size(), reach));
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

bool check_tiles(const Instruction& instruction, CoreType core, const ChipModel& model,
                 Problem& problem) {
    for (unsigned i = 0; i < instruction.operand_count; ++i) {
        const Operand& operand = instruction.operands[i];
        const bool scratch = info(instruction.opcode).operands[i].role == OperandRole::kTmp;
        std::optional<uint64_t> used;
        if (scratch) used = used_scratch(instruction, model.arch);
        if (used == 0) continue;
        uint64_t reach = 0;
        if (!scratch && operand.is_tile() && operand.tile.rows == 1 && operand.tile.valid_cols > operand.tile.cols)
            reach = (static_cast<uint64_t>(operand.tile.valid_cols) * bits(operand.tile.dtype) + 7) / 8;
        problem.operand = static_cast<int>(i);
        if (operand.is_tile() &&
            !check_tile(operand.tile, remote_cores_of(instruction, i) != kOwnCore, reach, used, core,
                        model, problem))
            return false;
    }
    return true;
}

// Checks that an instruction about flags and signals names ids that exist (E08 of a flag or buffer, C01 of a signal)
// and two different pipes of this core (E09). `flag_ids`: flags of each pair of pipes.
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

// Checks that the core has the pipe (L01).
bool check_pipe(const Instruction& instruction, Pipe pipe, CoreType core, Problem& problem) {
    if (pipe == Pipe::kAll || has_pipe(core, pipe)) return true;
    problem.code = "L01";
    problem.message = std::string(info(instruction.opcode).name) + " needs pipe " +
                      std::string(name(pipe)) + ", which an " + std::string(name(core)) +
                      " does not have";
    problem.hint = "put it into a section or function of the other core type";
    return false;
}

}  // namespace

Validator::Validator(CoreContext& core, FlagFile& flags, ScalarUnit& scalar)
    : core_{core},
      flags_{flags},
      scalar_{scalar},
      cache_{core.environment.validation_cache()},
      global_{core.environment.global()} {}

const ValidatedInstruction& Validator::validate(const Instruction& instruction, Pipe pipe,
                                                Cycle delay) {
    static const ValidatedInstruction kFlag;  // pipes take no time for flags
    bool* const legality = flags_.legality(instruction);
    if (legality != nullptr && *legality) return kFlag;
    const ValidationCache::Lookup lookup = cache_.find(instruction, core_.id.type);
    if (lookup.hit) {
        if (!views_are_held(instruction)) {  // views are not part of a cached result
            Problem problem;
            if (!views_pass(instruction, pipe, problem))
                refuse(instruction, pipe, delay, std::move(problem));
        }
        if (legality != nullptr) *legality = true;
        return cache_.at(lookup);
    }
    Problem problem;
    if (!passes(instruction, pipe, problem)) refuse(instruction, pipe, delay, std::move(problem));
    if (legality != nullptr) *legality = true;
    return cache_.add(lookup, instruction, core_.id.type, core_.environment.cost(instruction));
}

bool Validator::passes(const Instruction& instruction, Pipe pipe, Problem& problem) const {
    const CoreType core = core_.id.type;
    if (!check_flag(instruction, core, flags_.ids(), problem) ||
        !check_pipe(instruction, pipe, core, problem))
        return false;
    if (!check_legality(instruction, core_.arch, problem)) {
        if (!problem.goes_on) return false;
        Diagnostic d = describe(instruction, pipe, std::exchange(problem, {}));
        d.category = Category::kUndefined;
        core_.environment.warn(std::move(d));
    }
    return check_tiles(instruction, core, core_.model, problem) &&
           views_pass(instruction, pipe, problem);
}

bool Validator::views_are_held(const Instruction& instruction) const {
    for (unsigned i = 0; i < instruction.operand_count; ++i) {
        const Operand& operand = instruction.operands[i];
        if (operand.is_global() && !global_.holds(operand.global) &&
            !global_.holds(touched_view(instruction, i)))
            return false;
    }
    return true;
}

bool Validator::views_pass(const Instruction& instruction, Pipe pipe, Problem& problem) const {
    for (unsigned i = 0; i < instruction.operand_count; ++i) {
        const Operand& operand = instruction.operands[i];
        if (!operand.is_global() || global_.holds(operand.global)) continue;
        const GlobalView touched = touched_view(instruction, i);
        if (global_.holds(touched)) continue;
        problem = global_.explain(touched);
        problem.operand = static_cast<int>(i);
        if (!global_.open_pages(touched)) return false;
        core_.warn_beyond_allocation(describe(instruction, pipe, std::exchange(problem, {})));
    }
    return true;
}

Diagnostic Validator::describe(const Instruction& instruction, Pipe pipe, Problem problem) const {
    const InstructionInfo& row = info(instruction.opcode);
    Diagnostic d = core_.diagnostic(problem.code, Category::kIllegal, std::move(problem.message),
                                    instruction.location);
    d.hint = std::move(problem.hint);
    d.instruction = row.name;
    d.pipe = name(pipe);
    if (problem.operand >= 0 && static_cast<size_t>(problem.operand) < row.operands.size())
        d.operand = row.operands[static_cast<size_t>(problem.operand)].name;
    return d;
}

void Validator::refuse(const Instruction& instruction, Pipe pipe, Cycle delay, Problem problem) {
    scalar_.reach_issue(delay);
    core_.environment.fail({describe(instruction, pipe, std::move(problem))});
}

}  // namespace ptosim
