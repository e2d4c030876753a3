// Included before every source of a runtime's host library: programs get all clusters of the chip.
#pragma once

#ifdef __cplusplus
#include "ptosim/mpmd.h"
#include "device_runner_base.h"

#define SIM_AUTO_BLOCKDIM static_cast<int>(ptosim_mpmd_clusters(PLATFORM_MAX_BLOCKDIM))
#endif
