// The header of asc-devkit, at its path in installed toolkits.
#pragma once

#include "utils/tiling/platform/platform_ascendc.h"

// It has a macro for hosts without kernels; see cce/language.hpp.
#ifdef PTOSIM_HOST_PASS
#undef ASCENDC_ASSERT
#define ASCENDC_ASSERT(condition, behavior)
#endif
