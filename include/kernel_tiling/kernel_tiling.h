/* Tiling data of communication, as hosts fill it (hccl/hccl_tiling.h). Ascend C has a header of this name with all
 * tiling data; it applies if a checkout is in use. */
#if defined(__has_include_next) && __has_include_next("kernel_tiling/kernel_tiling.h")
#include_next "kernel_tiling/kernel_tiling.h"
#elif !defined(PTOSIM_KERNEL_TILING_H)
#define PTOSIM_KERNEL_TILING_H

#include <stdint.h>

struct Mc2InitTiling {
    uint8_t reserved[64];
};

struct Mc2CcTiling {
    uint8_t reserved[512];
};

#endif
