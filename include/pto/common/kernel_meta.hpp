// What a kernel says about the cores that it runs on. `ptosim build` finds that out by compiling it
// for each kind, so these say nothing more.
#pragma once

#define PTO_SYNCALL_AIV_KERNEL_META(kernel) static_assert(true, #kernel)
#define PTO_SYNCALL_MIX_AIC_KERNEL_META(kernel, aic, aiv) static_assert(true, #kernel)
#define PTO_SYNCALL_AIC_KERNEL_META(kernel) static_assert(true, #kernel)
