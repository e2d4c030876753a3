// Included before the sources of a runtime's host library that make runs or windows: programs get all clusters of the
// chip, runs are recorded as the simulator requires, the duration of a run on the device is simulated time, and windows
// are device memory.
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
#elif defined(PTOSIM_WINDOWS)  // windows between chips, and what kernels read of them
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <new>

#include "platform_comm/comm_context.h"

// host_platform.cpp
void ptosim_note_file(const char* name);
void ptosim_wait_for_chips(unsigned microseconds);

inline int ptosim_open_file(const char* name, int flags, mode_t mode) {
    ptosim_note_file(name);
    return shm_open(name, flags, mode);
}
inline void* ptosim_map_window(size_t size, int file) {
    void* const window = ptosim_mpmd_map(size, file);
    return window != nullptr ? window : MAP_FAILED;
}
#define shm_open(name, flags, mode) ptosim_open_file(name, flags, mode)
#define usleep(microseconds) ptosim_wait_for_chips(microseconds)
#define mmap(address, size, protection, flags, file, offset) ptosim_map_window(size, file)
#define munmap(address, size) ptosim_mpmd_unmap(address)

struct ptosim_comm_context : CommContext {
    static void* operator new(size_t size, const std::nothrow_t&) noexcept {
        return ptosim_mpmd_allocate(size);
    }
    static void* operator new(size_t size) {
        void* const memory = ptosim_mpmd_allocate(size);
        if (memory == nullptr) throw std::bad_alloc();
        return memory;
    }
    static void operator delete(void* memory) { ptosim_mpmd_free(memory); }
};
#define CommContext ptosim_comm_context
// Ours stand in their place (host_platform.cpp).
#define comm_alloc_windows ptosim_upstream_comm_alloc_windows
#define comm_alloc_domain_windows ptosim_upstream_comm_alloc_domain_windows
#define comm_global_domain_prepare ptosim_upstream_comm_global_domain_prepare
#define comm_global_domain_import ptosim_upstream_comm_global_domain_import
#else
#include "device_runner_base.h"
#define SIM_AUTO_BLOCKDIM static_cast<int>(ptosim_mpmd_clusters(PLATFORM_MAX_BLOCKDIM))
#endif
#endif
