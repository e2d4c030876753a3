// Included before every source of a runtime's AICore library: replaces registers, clock and cache of a core by the
// simulator's, and keeps thread-specific values for each core.
#pragma once

#include <pthread.h>
#include <stdint.h>

#include "ptosim/mpmd.h"

// Renames the runtime's functions.
#define read_reg ptosim_upstream_read_reg
#define write_reg ptosim_upstream_write_reg
#define read_dmb_high32 ptosim_upstream_read_dmb_high32
#define get_sys_cnt_aicore ptosim_upstream_get_sys_cnt_aicore
#include "inner_kernel.h"
#undef read_reg
#undef write_reg
#undef read_dmb_high32
#undef get_sys_cnt_aicore

// The runtime defines the address of a register: on a5 its block is mapped by pages.
#ifdef PTOSIM_SPARSE_REGISTERS
#define PTOSIM_REGISTER(offset)                                                             \
    static_cast<uint32_t>(                                                                  \
        reinterpret_cast<volatile uint8_t*>(sparse_reg_ptr(sim_get_reg_base(), (offset))) - \
        sim_get_reg_base())
#else
#define PTOSIM_REGISTER(offset) (offset)
#endif

inline uint64_t read_reg(RegId reg) {
    return ptosim_mpmd_core_load(sim_get_reg_base(), PTOSIM_REGISTER(reg_offset(reg)));
}
inline void write_reg(RegId reg, uint64_t value) {
    ptosim_mpmd_core_store(sim_get_reg_base(), PTOSIM_REGISTER(reg_offset(reg)),
                           static_cast<uint32_t>(value));
}
// A doorbell, which processors ring by a plain store, so the waiting core watches memory.
inline uint32_t read_dmb_high32() {
    ptosim_mpmd_core_watch();
    return ptosim_mpmd_core_load(sim_get_reg_base(),
                                 PTOSIM_REGISTER(reg_offset(RegId::DATA_MAIN_BASE) + 4));
}
inline uint64_t get_sys_cnt_aicore() {
    return 1 + ptosim_mpmd_nanoseconds() / (1'000'000'000ull / PLATFORM_PROF_SYS_CNT_FREQ);
}

// Writing records takes no time, so recorded runs have the same times as others.
#undef dcci
#define dcci(...) static_cast<void>(0)
#include "aicore/chip_swimlane_collector_aicore.h"
#undef dcci
// dcci(address, line or all): before reading data that a processor has written. dcci(address, line or all,
// destination): after writing data that others read.
#undef SINGLE_CACHE_LINE
#undef ENTIRE_DATA_CACHE
#define SINGLE_CACHE_LINE 0
#define ENTIRE_DATA_CACHE 1
inline void ptosim_dcci(const volatile void* line, int all, int /*where*/) {
    ptosim_mpmd_core_cache(all != SINGLE_CACHE_LINE ? nullptr : line);
}
// The payload of a core names its task.
template <class Payload>
auto ptosim_name_task(const volatile Payload* payload, int) -> decltype(static_cast<void>(payload->local_context.async_ctx.task_token.raw)) {
    ptosim_mpmd_core_task(&payload->local_context.async_ctx.task_token.raw, &payload->local_context.block_idx);
}
inline void ptosim_name_task(const volatile void*, long) {}
template <class Line>
inline void ptosim_dcci(const volatile Line* line, int all) {
    ptosim_name_task(line, 0);
    ptosim_dcci(line, all, 0);
    ptosim_mpmd_core_read(line);
}
#define dcci(...) ptosim_dcci(__VA_ARGS__)
#undef SPIN_WAIT_HINT
#define SPIN_WAIT_HINT() ptosim_mpmd_core_spin()

// Each run loads the library anew, and the host has only few keys.
#define pthread_key_create(key, destructor) (*(key) = ptosim_mpmd_core_key(), 0)
#define pthread_getspecific(key) ptosim_mpmd_core_get(key)
#define pthread_setspecific(key, value) (ptosim_mpmd_core_set(key, value), 0)

#ifndef PTOSIM_PLATFORM
#define aicore_execute_wrapper ptosim_upstream_aicore_execute_wrapper
#endif
