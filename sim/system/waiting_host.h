/* What a library calls that lets hosts wait for each other, so that the chip of this process serves the others
 * meanwhile. Without such a chip they do nothing. */
#ifndef PTOSIM_WAITING_HOST_H
#define PTOSIM_WAITING_HOST_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The host begins to wait. Returns the time of its chip. */
uint64_t ptosim_host_park(void);
/* Again and again, while waiting(of) is not 0. */
void ptosim_host_serve(int (*waiting)(void* of), void* of);
/* All have met, the last of them at this time. */
void ptosim_host_leave(uint64_t last_came);

#ifdef __cplusplus
}
#endif
#endif
