#include "sim/files/version.h"

#ifndef PTOSIM_COMMIT
#define PTOSIM_COMMIT ""
#endif

namespace ptosim {

const char* program_version() { return PTOSIM_VERSION; }
const char* program_commit() { return PTOSIM_COMMIT; }

}  // namespace ptosim
