// TPRINT: a tile or view as text.
#pragma once

#include <string>

#include "isa/core/execution.h"

namespace ptosim {

// Operand 0 of a TPRINT: a head line, then a line for each row of the matrix. Numbers are right aligned in 8 or 10
// columns, according to the attribute printFormat: floats with 4, 2 or 6 digits after the point, rounded to nearest,
// ties to even; inf, -inf, nan; integers in full. For a tile, lanes beyond the valid region follow after a `|`, rows
// beyond it after a line of dashes. For example
//
//     tile UB f32 2x8 ND @0x0 valid 2x3
//       1.0000 -2.5000  0.0000|  0.0000 ...
//
// The text of the numbers is that of printf("%8.4f") (hw-native-sys/pto-isa docs/isa/TPRINT.md), and does not depend on
// the host.
std::string print_text(const Execution& execution);

}  // namespace ptosim
