#include "sim/machine/core/validator.h"

#include <utility>

#include "isa/legality/legality.h"
#include "isa/table/access.h"
#include "sim/machine/core/instruction_checks.h"

namespace ptosim {

Validator::Validator(CoreContext& core, FlagFile& flags, ScalarUnit& scalar)
    : core_{core},
      flags_{flags},
      scalar_{scalar},
      cache_{core.environment.validation_cache()},
      global_{core.environment.global()} {}

ValidatedInstruction Validator::validate(const Instruction& instruction, Pipe pipe,
                                                Cycle delay) {
    bool* const legality = flags_.legality(instruction);
    if (legality != nullptr && *legality) return {};  // pipes take no time for flags
    ValidatedInstruction valid;
    if (cache_.get(instruction, core_.id.type, valid)) {
        if (!views_are_held(instruction)) {  // views are not part of a cached result
            Problem problem;
            if (!views_pass(instruction, pipe, problem))
                refuse(instruction, pipe, delay, std::move(problem));
        }
        if (legality != nullptr) *legality = true;
        return valid;
    }
    Problem problem;
    if (!passes(instruction, pipe, problem)) refuse(instruction, pipe, delay, std::move(problem));
    if (legality != nullptr) *legality = true;
    return cache_.add(instruction, core_.id.type, core_.environment.cost(instruction));
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
        bool opened = false;
        scalar_.call_alone([&] {
            opened = global_.open_pages(touched);
            if (opened) core_.warn_beyond_allocation(describe(instruction, pipe, std::exchange(problem, {})));
        });
        if (!opened) return false;
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
