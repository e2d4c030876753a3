/* A part of the kernel ABI: accesses that scalar code makes itself, by a pointer, which a library's
 * headers mark. */
#ifndef PTOSIM_SCALAR_ACCESS_H
#define PTOSIM_SCALAR_ACCESS_H

#include "ptosim/kernel_abi.h"

/* The scalar unit is about to read, and perhaps to write, `bytes` (1, 2, 4 or 8) in UB (`local`: a byte
 * address in it) or in global memory. Takes the time of the access, waits for instructions as the device's
 * compiler makes it wait (--cce-auto-sync), and shows it to checkers. */
PTOSIM_ABI void ptosim_scalar_access(uint64_t address, uint8_t local, uint8_t bytes, uint8_t writes,
                                     ptosim_location where);

#endif
