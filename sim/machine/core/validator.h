// Decides whether an instruction may be issued, and finds its cost.
//
// Checks precede any effect: flags, the core's pipes, legality (isa/legality), and operands in memory that exists.
// Results are kept in the chip's validation cache.
#pragma once

#include "sim/machine/core/flags.h"
#include "sim/machine/core/scalar_unit.h"

namespace ptosim {

class Validator {
 public:
    Validator(CoreContext& core, FlagFile& flags, ScalarUnit& scalar);

    // Validates an instruction for this pipe that follows `delay` cycles after the previous one. The result is valid
    // until the next call. An instruction that cannot be executed ends the run at the time at which the scalar unit
    // would have issued it.
    ValidatedInstruction validate(const Instruction& instruction, Pipe pipe, Cycle delay);

 private:
    bool passes(const Instruction& instruction, Pipe pipe, Problem& problem) const;
    bool views_are_held(const Instruction& instruction) const;
    // True if all views lie in their allocations, or if the run continues in spite of it.
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
