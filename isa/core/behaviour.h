// Results that no document fixes: undefined behaviour that depends on the data of an instruction,
// and results that depend on a choice of the profile.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "isa/core/execution.h"

namespace ptosim {

struct DataFinding {
    std::string_view code;  // "G07"; the catalogue is isa/core/diagnostics.tsv
    unsigned operand = 0;   // the operand that holds the offending elements
    int row = 0, col = 0;   // the first of them
    uint64_t count = 0;     // how many there are
    bool warns = false;     // a run gives it as a warning
    std::string message;
    std::string hint;
};

class DataReporter {
 public:
    virtual ~DataReporter() = default;
    virtual void report(const DataFinding& finding) = 0;
};

// True if the data of such an instruction can make its behaviour undefined: an index outside its target, an integer
// division by zero, a shift by the width or more. The instruction is legal, and its result follows
// isa/table/profile_rules.h.
bool may_be_undefined(const Instruction& instruction);
// Reports such data before the instruction computes; changes no operand.
void check_undefined(const Execution& execution, DataReporter& reporter);

// True if the results of such an instruction can depend on a choice of the profile because sources differ, are silent,
// or leave the result to the hardware. The instruction is not wrong, but results may differ from hardware (`--check
// choices`).
bool may_be_implementation_defined(const Instruction& instruction);
// P03: a layout that no document fixes. N02: a function or quotient where it has no finite value.
// N06: subnormal sources, which hardware flushes according to documents (profile rule
// flush-subnormals-a5). N07: values that a conversion saturates or wraps although the kernel does
// not choose. N09: rounding that documents call stochastic. Changes no operand.
void check_implementation_defined(const Execution& execution, DataReporter& reporter);

}  // namespace ptosim
