/* A part of the kernel ABI: sizes of a library's tensors and buffers in on-chip memories (LocalTensor, InitBuffer of
 * Ascend C), against which the operands of instructions are checked. */
#ifndef PTOSIM_TENSOR_BOUNDS_H
#define PTOSIM_TENSOR_BOUNDS_H

#include "ptosim/kernel_abi.h"

typedef struct ptosim_tensor {
    uint32_t begin; /* byte in its memory */
    uint32_t size;  /* bytes; 0: unknown */
    uint32_t space; /* ptosim_space */
} ptosim_tensor;

/* The tensors whose addresses the core has read last. */
#define PTOSIM_RECENT_TENSORS 16
typedef struct ptosim_tensors {
    uint32_t next; /* number of the next one, modulo PTOSIM_RECENT_TENSORS */
    ptosim_tensor recent[PTOSIM_RECENT_TENSORS];
} ptosim_tensors;
/* Of the core that runs the kernel. */
PTOSIM_ABI ptosim_tensors* ptosim_recent_tensors;

/* Buffers of a memory that follow each other, from now on. */
typedef struct ptosim_buffers {
    ptosim_tensor first;
    uint32_t count;
    uint32_t queue; /* not 0: of a queue; a number for its position */
    uint32_t most;  /* buffers that all queues of that position may have together; 0: unlimited */
    uint32_t starts_anew; /* not 0: earlier buffers of all memories are gone */
    uint32_t names_bytes; /* not 0: a tensor at an address of the kernel's choice, which may be larger than its memory */
} ptosim_buffers;
PTOSIM_ABI void ptosim_declare_buffers(const ptosim_buffers* buffers);

/* The kernel copies `count` elements of `bits` with a call that copies whole blocks of 32 bytes only. */
PTOSIM_ABI void ptosim_check_copy(uint32_t count, uint32_t bits);

/* A function with a work buffer of `size` bytes, of which its documents require `needed`. */
PTOSIM_ABI void ptosim_check_work(const char* function, uint64_t size, uint64_t needed);

#endif
