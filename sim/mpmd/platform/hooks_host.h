// Included before the sources of a runtime's host library that make runs: programs get all clusters of
// the chip, and runs are recorded as the simulator asks.
#pragma once

#ifdef __cplusplus
#include "ptosim/mpmd.h"

#ifdef PTOSIM_RUN_ENTRIES  // where runs begin; ours stand in their place (host_platform.cpp)
#define simpler_run ptosim_upstream_simpler_run
#define simpler_prepare_run ptosim_upstream_simpler_prepare_run
#else
#include "device_runner_base.h"
#define SIM_AUTO_BLOCKDIM static_cast<int>(ptosim_mpmd_clusters(PLATFORM_MAX_BLOCKDIM))
#endif
#endif
