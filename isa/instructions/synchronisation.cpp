// Flags, barriers and signals: the machine itself does what they mean.
#include "isa/instructions/row.h"

namespace ptosim::rows {
#include "isa/instructions/synchronisation.def"
}  // namespace ptosim::rows
