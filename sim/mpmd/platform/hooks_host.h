// Included before the sources of a runtime's host library that make runs: programs get all clusters
// of the chip, runs are recorded as the simulator asks, and the time that a run takes on the device
// is simulated time.
#pragma once

#ifdef __cplusplus
#include "ptosim/mpmd.h"

#ifdef PTOSIM_RUN_ENTRIES  // where runs begin; ours stand in their place (host_platform.cpp)
#define simpler_run ptosim_upstream_simpler_run
#define simpler_prepare_run ptosim_upstream_simpler_prepare_run
#elif defined(PTOSIM_RUN_TIME)  // what a run takes is measured around it, by the host's clock
#include <chrono>
#include <condition_variable>
#include <future>
#include <mutex>
#include <thread>

#include "device_runner_base.h"
namespace std::chrono {
struct ptosim_run_clock {
    using duration = nanoseconds;
    using rep = duration::rep;
    using period = duration::period;
    using time_point = chrono::time_point<ptosim_run_clock>;
    static constexpr bool is_steady = true;
    static time_point now() noexcept { return time_point(duration(ptosim_mpmd_run_nanoseconds())); }
};
}  // namespace std::chrono
#define steady_clock ptosim_run_clock
#else
#include "device_runner_base.h"
#define SIM_AUTO_BLOCKDIM static_cast<int>(ptosim_mpmd_clusters(PLATFORM_MAX_BLOCKDIM))
#endif
#endif
