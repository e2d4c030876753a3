// PTO_ASSERT: checks an assumption of a kernel if compiled with _DEBUG.
#pragma once

#include "pto/common/intrinsics.hpp"

#define DEBUG_CHECK(condition, message)                                                  \
    do {                                                                                 \
        if (!(condition)) {                                                              \
            cce::printf("PTO_ASSERT: %s (%s)\n", (message), #condition);                 \
            ptosim_trap("PTO_ASSERT failed: " #condition, ::pto::ptosim_detail::here()); \
        }                                                                                \
    } while (0)

#ifdef _DEBUG
#define PTO_ASSERT(condition, message) DEBUG_CHECK(condition, message)
#else
#define PTO_ASSERT(condition, message) ((void)0)
#endif
