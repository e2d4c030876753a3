// Whether an instruction may be issued; if so, its pipe and its cost.
//
// Checks come before any effect: flags, the core's pipes, legality (isa/legality), and whether
// operands lie in memory that exists. What has passed is kept in the chip's validation cache.
#pragma once

#include "sim/core/flags.h"
#include "sim/core/scalar_unit.h"

namespace ptosim {

class Validator {
 public:
    Validator(CoreContext& core, FlagFile& flags, ScalarUnit& scalar);

    // Of an instruction that comes `delay` cycles after the one before, on this pipe. The answer is
    // valid until the next call. An instruction that cannot be executed ends the run when the
    // scalar unit would have issued it.
    const ValidatedInstruction& validate(const Instruction& instruction, Pipe pipe, Cycle delay);

 private:
    bool passes(const Instruction& instruction, Pipe pipe, Problem& problem) const;
    bool views_are_held(const Instruction& instruction) const;
    // Whether all views lie in their allocations, or the run goes on all the same.
    bool views_pass(const Instruction& instruction, Pipe pipe, Problem& problem) const;
    Diagnostic describe(const Instruction& instruction, Pipe pipe, Problem problem) const;
    // Does not return.
    void refuse(const Instruction& instruction, Pipe pipe, Cycle delay, Problem problem);

    CoreContext& core_;
    FlagFile& flags_;
    ScalarUnit& scalar_;
    ValidationCache& cache_;
    GlobalMemory& global_;
};

}  // namespace ptosim
