/* What host programs ask of the simulated device beside CANN's calls. */
#ifndef PTOSIM_DEVICE_H
#define PTOSIM_DEVICE_H

#include "ptosim/kernel_abi.h"

/* Bytes a second that its memory (HBM) moves, reads and writes together; 0 where it cannot be made.
 */
PTOSIM_ABI double ptosim_memory_rate(void);

/* A figure of the chip by the names of CANN's platform files ("SoCInfo", "cube_core_cnt"); null where
 * there is none. */
PTOSIM_ABI const char* ptosim_chip_figure(const char* group, const char* key);

/* The context of the communicator `group` that kernels of operators read. All its ranks call it.
 * Returns a code of HCCL. */
PTOSIM_ABI int ptosim_operator_context(const char* group, void** context);

/* Makes a text the message of the next aclGetRecentErrMsg(). */
PTOSIM_ABI void ptosim_host_message(const char* text);

/* Device memory that the host reads and writes, too, as tests of kernels do; aclrtFree() releases
 * it. Null if there is no room. */
PTOSIM_ABI void* ptosim_shared_memory(uint64_t size);

/* The tiling key of the next launches, for kernels that ask for it as they run. */
PTOSIM_ABI void ptosim_set_tiling_key(uint64_t key);
PTOSIM_ABI uint64_t ptosim_tiling_key(void);

#endif
