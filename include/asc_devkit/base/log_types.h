// Modules that lines of the log are of. The log of this simulator does not distinguish them.
#ifndef LOG_TYPES_H_  // sources ask for this name
#define LOG_TYPES_H_

enum { AICPU = 3, GE = 45, GE_MODULE_NAME = GE, OP = 63, ASCENDCKERNEL = 66, PYPTO = 77 };

#endif
