// Loads and stores of kernels by pointers, which the compiler's instrumentation reports (sim/compile/instrumentation.h).
// Accesses of UB cost time of the scalar unit; their addresses are below that of any memory of the host. So do loads of
// global memory that miss the data cache. The simulator receives the accesses of memories that observers watch.
#pragma once

#include "ptosim/scalar_access.h"
#include "ptosim/threads.h"

#define PTO_DETAIL_UNREPORTED __attribute__((no_sanitize("coverage")))

namespace pto::ptosim_detail {

// Accesses of the thread's own stack do not count.
PTO_DETAIL_UNREPORTED inline void note_thread_access(uintptr_t at, uint32_t size, uint8_t writes, const void* code) {
    constexpr uint32_t kRepeats = 16;
    constexpr uintptr_t kStack = 256 << 10;
    if (at - reinterpret_cast<uintptr_t>(__builtin_frame_address(0)) < kStack) return;
    if (ptosim_watched.next_event == ptosim_watched.last_event) ptosim_thread_events_full(code);
    ptosim_thread_event* const event = ptosim_watched.next_event++;
    event->address = at;
    event->code = code;
    event->instructions = static_cast<uint32_t>(ptosim_scalar_instructions - ptosim_watched.counted);
    ptosim_watched.counted = ptosim_scalar_instructions;
    event->kind = writes;
    event->bytes = static_cast<uint8_t>(size);
    event->past_cache = static_cast<uint8_t>(ptosim_watched.past_cache);
    event->used = 0;
    ptosim_watched.past_cache = 0;
    ptosim_watched.repeats =
        writes == 0 && ptosim_watched.last_load == at ? ptosim_watched.repeats + 1 : 0;
    ptosim_watched.last_load = at;
    if (ptosim_watched.repeats >= kRepeats) ptosim_thread_pause();
}

PTO_DETAIL_UNREPORTED inline void note_access(const void* address, uint32_t size, uint8_t writes,
                                              const void* code) {
    const auto at = reinterpret_cast<uintptr_t>(address);
    if (ptosim_watched.next_event != nullptr) return note_thread_access(at, size, writes, code);
    const bool local = at < PTOSIM_UB_END;
    if (at - ptosim_watched.cached_begin < ptosim_watched.cached_size && writes == 0 &&
        ptosim_watched.lines[at / 64 & ptosim_watched.line_mask] != at / 64)
        ptosim_load_line(address);
    if (!local && at - ptosim_watched.global_begin >= ptosim_watched.global_size) return;
    if (at == ptosim_watched.announced) {
        ptosim_watched.announced = UINT64_MAX;
        return;
    }
    if (local) {
        ++ptosim_ub_accesses;
        if (at >= ptosim_watched.local_end) return;
    }
    ptosim_report_access(address, size, writes);
}

}  // namespace pto::ptosim_detail

#define PTO_DETAIL_REPORTED(Size_)                                                                                     \
    extern "C" __attribute__((weak, used, visibility("hidden"))) PTO_DETAIL_UNREPORTED void                             \
    __sanitizer_cov_load##Size_(const void* address) {                                                                 \
        ::pto::ptosim_detail::note_access(address, Size_, 0, __builtin_return_address(0));                             \
    }                                                                                                                  \
    extern "C" __attribute__((weak, used, visibility("hidden"))) PTO_DETAIL_UNREPORTED void                             \
    __sanitizer_cov_store##Size_(const void* address) {                                                                \
        ::pto::ptosim_detail::note_access(address, Size_, 1, __builtin_return_address(0));                             \
    }
PTO_DETAIL_REPORTED(1)
PTO_DETAIL_REPORTED(2)
PTO_DETAIL_REPORTED(4)
PTO_DETAIL_REPORTED(8)
PTO_DETAIL_REPORTED(16)
#undef PTO_DETAIL_REPORTED
#undef PTO_DETAIL_UNREPORTED
