// The platform of a runtime's AICPU library: registers, clock, cache, and the begin of a processor's work. Compiled
// with the runtime's headers.
#include "aicpu/cache_maintenance.h"
#include "aicpu/device_time.h"
#include "aicpu/platform_aicpu_affinity.h"
#include "aicpu/platform_regs.h"
#include "common/platform_config.h"
#include "ptosim/mpmd.h"
#include "runtime.h"

uint32_t reg_load_acquire(const volatile uint32_t* address) { return ptosim_mpmd_load(address); }
void reg_store_release(volatile uint32_t* address, uint32_t value) {
    ptosim_mpmd_store(address, value);
}

// Ticks of the system counter. Never 0, which would mean that a time was not taken.
uint64_t get_sys_cnt_aicpu() {
    return 1 + ptosim_mpmd_nanoseconds() / (1'000'000'000ull / PLATFORM_PROF_SYS_CNT_FREQ);
}
// One second: cores that have not ended by then never will.
uint64_t inner_get_deinit_timeout_ticks() { return PLATFORM_PROF_SYS_CNT_FREQ; }

namespace aicpu_cache_maintenance {
void invalidate_range_impl(const void* address, size_t size) { ptosim_mpmd_invalidate(address, size); }
void flush_range_impl(const void* address, size_t size) { ptosim_mpmd_clean(address, size); }
}  // namespace aicpu_cache_maintenance

// The runtime writes elements of tensors by these calls. (The library is linked with --wrap=memcpy.)
extern "C" void* __real_memcpy(void* to, const void* from, size_t size);
extern "C" void* __wrap_memcpy(void* to, const void* from, size_t size) {
#ifdef PTOSIM_ACCESSES
    ptosim_mpmd_copied(to, from, size, __builtin_return_address(0));
#else
    ptosim_mpmd_copied(to, from, size, nullptr);
#endif
    return __real_memcpy(to, from, size);
}

int32_t platform_aicpu_affinity_thread_idx() { return *ptosim_mpmd_processor_word(); }
void platform_aicpu_affinity_set_thread_idx(int32_t index) { *ptosim_mpmd_processor_word() = index; }

extern "C" int ptosim_upstream_aicpu_execute(Runtime* runtime);

extern "C" __attribute__((visibility("default"))) int aicpu_execute(Runtime* runtime) {
    const ptosim_mpmd_size size = {static_cast<uint32_t>(runtime->get_aicpu_thread_num()),
                                   static_cast<uint32_t>(runtime->get_worker_count())};
    return ptosim_mpmd_run_processor(
        size, [](void* argument) { return ptosim_upstream_aicpu_execute(static_cast<Runtime*>(argument)); },
        runtime);
}
