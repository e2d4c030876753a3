// Modules that lines of the log are of. The log of this simulator does not distinguish them.
#pragma once

enum { AICPU = 3, GE = 45, GE_MODULE_NAME = GE, OP = 63, ASCENDCKERNEL = 66, PYPTO = 77 };
