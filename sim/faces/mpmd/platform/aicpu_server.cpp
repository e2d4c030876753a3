// Linked into a server for the AICPU that is compiled for this machine, with --wrap for each of these functions: time,
// processor and waiting are those of the simulated processor, and signals of the process stay the host's.
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <time.h>
#include <unistd.h>

#include "ptosim/mpmd.h"

extern "C" int __wrap_clock_gettime(clockid_t, timespec* time) {
    constexpr uint64_t kSecond = 1'000'000'000;
    const uint64_t now = 1 + ptosim_mpmd_nanoseconds();  // 0 would stand for a time that was not taken
    time->tv_sec = static_cast<time_t>(now / kSecond);
    time->tv_nsec = static_cast<long>(now % kSecond);
    return 0;
}

extern "C" int __wrap_sched_getcpu() {
    const int processor = ptosim_mpmd_processor();
    return processor < 0 ? 0 : processor;
}

extern "C" int __wrap_sched_yield() {
    ptosim_mpmd_spin();
    return 0;
}

extern "C" int __wrap_usleep(useconds_t microseconds) {
    const uint64_t end = ptosim_mpmd_nanoseconds() + uint64_t{microseconds} * 1000;
    do ptosim_mpmd_spin();
    while (ptosim_mpmd_processor() >= 0 && ptosim_mpmd_nanoseconds() < end);
    return 0;
}

extern "C" unsigned __wrap_sleep(unsigned seconds) {
    __wrap_usleep(seconds * 1'000'000);
    return 0;
}

// The owner may be a processor, which goes on when this one waits.
extern "C" int __wrap_pthread_mutex_lock(pthread_mutex_t* mutex) {
    while (pthread_mutex_trylock(mutex) != 0) ptosim_mpmd_spin();
    return 0;
}

extern "C" int __wrap_sigaction(int, const struct sigaction*, struct sigaction* old) {
    if (old != nullptr) *old = {};
    return 0;
}
