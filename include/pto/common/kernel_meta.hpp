// Declarations by which a kernel states the types of its cores. `ptosim build` finds the types by compiling the kernel
// for each, so these have no effect.
#pragma once

#define PTO_SYNCALL_AIV_KERNEL_META(kernel) static_assert(true, #kernel)
#define PTO_SYNCALL_MIX_AIC_KERNEL_META(kernel, aic, aiv) static_assert(true, #kernel)
#define PTO_SYNCALL_AIC_KERNEL_META(kernel) static_assert(true, #kernel)
