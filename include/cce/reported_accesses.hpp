// Loads and stores of kernels by pointers, which the compiler reports (-fsanitize-coverage=trace-loads, trace-stores):
// accesses of UB cost time of the scalar unit. Their addresses are below that of any memory of the host.
#pragma once

#include "ptosim/kernel_abi.h"

#define PTO_DETAIL_REPORTED(Name_)                                                             \
    extern "C" __attribute__((weak, used, visibility("hidden"), no_sanitize("coverage"))) void \
    __sanitizer_cov_##Name_(const void* address) {                                             \
        if (reinterpret_cast<uintptr_t>(address) < PTOSIM_UB_END) ++ptosim_ub_accesses;        \
    }
PTO_DETAIL_REPORTED(load1)
PTO_DETAIL_REPORTED(load2)
PTO_DETAIL_REPORTED(load4)
PTO_DETAIL_REPORTED(load8)
PTO_DETAIL_REPORTED(load16)
PTO_DETAIL_REPORTED(store1)
PTO_DETAIL_REPORTED(store2)
PTO_DETAIL_REPORTED(store4)
PTO_DETAIL_REPORTED(store8)
PTO_DETAIL_REPORTED(store16)
#undef PTO_DETAIL_REPORTED
