#include "isa/instructions/row.h"

namespace ptosim::rows {
#include "isa/instructions/threads.def"
}
