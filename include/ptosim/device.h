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

#endif
