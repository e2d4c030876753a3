// Undefined behaviour that depends on the data of an instruction: an index outside its
// target, an integer division by zero, a shift by the width. The instruction is legal and
// computes something (isa/profile_rules.h says what), which may not be what was meant.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "isa/semantics.h"

namespace ptosim {

struct DataFinding {
    std::string_view code;  // "G07"; the catalogue is isa/DIAGNOSTICS.md
    unsigned operand = 0;   // the operand that holds the offending elements
    int row = 0, col = 0;   // the first of them
    uint64_t count = 0;     // how many there are
    std::string message;
    std::string hint;
};

class DataReporter {
 public:
    virtual ~DataReporter() = default;
    virtual void report(const DataFinding& finding) = 0;
};

// Whether check_undefined() would look at the data of such an instruction at all.
bool may_be_undefined(const Instruction& instruction);
// Looks at the operands before the instruction computes; has no effect on them.
void check_undefined(const Execution& execution, DataReporter& reporter);

}  // namespace ptosim
