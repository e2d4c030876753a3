// Settings of a core's registers (isa/mode_registers.h): the core that issues them keeps them.
#include "isa/instructions/row.h"

namespace ptosim::rows {
#include "isa/instructions/mode_registers.def"
}  // namespace ptosim::rows
