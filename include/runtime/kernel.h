/* Included by programs for functions of the runtime, which are all in one file here. */
#ifndef PTOSIM_RUNTIME_KERNEL_H
#define PTOSIM_RUNTIME_KERNEL_H

#include "runtime/rt.h"

#endif
