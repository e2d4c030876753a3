/* A part of the kernel ABI: accesses that scalar code makes itself, by a pointer. A library's headers mark some of them;
 * the compiler's instrumentation reports all of them. */
#ifndef PTOSIM_SCALAR_ACCESS_H
#define PTOSIM_SCALAR_ACCESS_H

#include "ptosim/kernel_abi.h"

enum { PTOSIM_SCALAR_LOAD = 0, PTOSIM_SCALAR_STORE = 1, PTOSIM_SCALAR_REFERENCE = 2 };

/* The scalar unit is about to access `bytes` (1, 2, 4 or 8) in UB (`local`: a byte address in it)
 * or in global memory. Takes the time of the access, waits for instructions as the device's
 * compiler makes it wait
 * (--cce-auto-sync), and shows it to checkers. Code that gets a reference may load or store: that
 * access only waits. */
PTOSIM_ABI void ptosim_scalar_access(uint64_t address, uint8_t local, uint8_t bytes, uint8_t kind,
                                     ptosim_location where);

/* Accesses that instrumented code reports. */
typedef struct ptosim_watch {
    uint64_t announced;    /* address of the access that ptosim_scalar_access() has shown: not reported again */
    uint64_t local_end;    /* accesses of UB below this address are reported; 0: none */
    uint64_t global_begin; /* accesses of `global_size` bytes from here are reported */
    uint64_t global_size;
    uint64_t registers; /* not 0: writes to registers are reported (ptosim_note_register) */
    /* The data cache: of `cached_size` bytes from `cached_begin`, line n of 64 bytes is held if lines[n & line_mask] is n. */
    uint64_t cached_begin, cached_size, line_mask;
    const uint64_t* lines;
    /* Threads: while one runs, the place of its next event (ptosim/threads.h), else null. It pauses
     * if it repeats a load. */
    struct ptosim_thread_event *next_event, *last_event;
    uint64_t last_load;
    uint64_t counted;  /* ptosim_scalar_instructions at its last event */
    uint32_t repeats;
    uint32_t past_cache; /* 1: the next access bypasses the data cache of threads */
} ptosim_watch;
PTOSIM_ABI ptosim_watch ptosim_watched;

/* Instrumented code is about to read, or to write, `size` bytes of UB (a byte address in it) or of global memory. */
PTOSIM_ABI void ptosim_report_access(const void* address, uint32_t size, uint8_t writes);

/* Instrumented code is about to read global memory whose line the data cache does not hold. */
PTOSIM_ABI void ptosim_load_line(const void* address);

/* The scalar unit waits until its stores are done. For checkers. */
PTOSIM_ABI void ptosim_await_stores(void);

/* The scalar unit has written a register (ptosim_register). */
PTOSIM_ABI void ptosim_note_register(uint32_t number);

#endif
