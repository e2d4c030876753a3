// Where the results of an instruction depend on a choice of the profile: sources
// differ, leave it to the hardware, or say nothing. Such instructions are not
// wrong, but matter to whoever compares results with hardware (`--check choices`).
#pragma once

#include "isa/undefined_behaviour.h"

namespace ptosim {

// Whether check_implementation_defined() would look at the instruction at all.
bool may_be_implementation_defined(const Instruction& instruction);
// P03: a layout that no document fixes. N02: a function or quotient where it has no finite value.
// N06: subnormal sources, which documents say that hardware flushes (profile rule
// flush-subnormals-a5). N07: values that a conversion
// saturates or wraps although the kernel does not say which. N09: rounding that documents call
// stochastic. Has no effect on the operands.
void check_implementation_defined(const Execution& execution, DataReporter& reporter);

}  // namespace ptosim
