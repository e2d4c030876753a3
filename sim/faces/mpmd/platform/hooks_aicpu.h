// Included before every source of a runtime's AICPU library: makes the runtime's definitions of functions weak that our
// platform defines, too (it is linked with the library: aicpu_platform.cpp).
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "ptosim/mpmd.h"
#include "spin_hint.h"

#undef SPIN_WAIT_HINT
#ifdef PTOSIM_COLLECTOR  // waits for threads of the host that empty its buffers
#define SPIN_WAIT_HINT() ptosim_mpmd_wait_for_host()
#else
#define SPIN_WAIT_HINT() ptosim_mpmd_spin()
#endif

#ifndef PTOSIM_PLATFORM
#define PTOSIM_REPLACED __attribute__((weak))
PTOSIM_REPLACED uint32_t reg_load_acquire(const volatile uint32_t*);
PTOSIM_REPLACED void reg_store_release(volatile uint32_t*, uint32_t);
PTOSIM_REPLACED uint64_t inner_get_deinit_timeout_ticks();
PTOSIM_REPLACED uint64_t get_sys_cnt_aicpu();
PTOSIM_REPLACED int32_t platform_aicpu_affinity_thread_idx();
PTOSIM_REPLACED void platform_aicpu_affinity_set_thread_idx(int32_t);
namespace aicpu_cache_maintenance {
PTOSIM_REPLACED void invalidate_range_impl(const void*, size_t);
PTOSIM_REPLACED void flush_range_impl(const void*, size_t);
}  // namespace aicpu_cache_maintenance
#define aicpu_execute ptosim_upstream_aicpu_execute
#endif
