// Modules that lines of the log are of. The log of this simulator does not distinguish them.
#pragma once

enum { AICPU = 3, GE_MODULE_NAME = 45, ASCENDCKERNEL = 66, PYPTO = 77 };
