// Included before every source of a runtime's host library, except sources that wait for other processes. The recorded
// times come from a clock that does not depend on the host (ptosim_mpmd_host_nanoseconds, and simulated time for the
// device). In recorded runs the numbers of processes and threads do not depend on the host either.
#pragma once

#ifdef __cplusplus
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <chrono>
#include <condition_variable>
#include <future>
#include <mutex>
#include <thread>

#include "ptosim/mpmd.h"

namespace std::chrono {
struct ptosim_host_clock {
    using duration = nanoseconds;
    using rep = duration::rep;
    using period = duration::period;
    using time_point = chrono::time_point<ptosim_host_clock>;
    static constexpr bool is_steady = true;
    static time_point now() noexcept {
        return time_point(duration(ptosim_mpmd_host_nanoseconds()));
    }
};
}  // namespace std::chrono
// The clock of all records and log lines of the host. Deadlines use other clocks.
#if __has_include("common/log_clock.h")
#define steady_clock ptosim_host_clock
#include "common/log_clock.h"
#undef steady_clock
#endif
// The device's counter, read by the host.
#if __has_include("aicpu/device_time.h")
#define sys_cnt_now_ticks ptosim_upstream_sys_cnt_now_ticks
#include "aicpu/device_time.h"
#undef sys_cnt_now_ticks
inline uint64_t sys_cnt_now_ticks() {
    return 1 + ptosim_mpmd_nanoseconds() / (1'000'000'000ull / PLATFORM_PROF_SYS_CNT_FREQ);
}
#endif

inline int ptosim_host_gettime(clockid_t clock, timespec* time) {
    if (clock != CLOCK_MONOTONIC) return clock_gettime(clock, time);
    const uint64_t now = ptosim_mpmd_host_nanoseconds();
    time->tv_sec = static_cast<time_t>(now / 1'000'000'000ull);
    time->tv_nsec = static_cast<long>(now % 1'000'000'000ull);
    return 0;
}
#define clock_gettime ptosim_host_gettime

template <class... Arguments>
long ptosim_host_syscall(long number, Arguments... arguments) {
    if (number == SYS_gettid) return ptosim_mpmd_host_thread();
    return syscall(number, arguments...);
}
#define syscall ptosim_host_syscall
#define getpid ptosim_mpmd_host_process
#endif
