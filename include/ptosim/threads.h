/* A part of the kernel ABI: threads of an a5's vector cores. A core runs the threads of one block at a time, in warps
 * of 32. A call about a thread is made by the thread itself. */
#ifndef PTOSIM_THREADS_H
#define PTOSIM_THREADS_H

#include "ptosim/kernel_abi.h"

#ifdef __clang__
#define PTOSIM_CONVERGENT __attribute__((convergent)) /* all lanes of a warp reach the same call */
#else
#define PTOSIM_CONVERGENT
#endif

/* Sizes of a launch of threads. */
typedef struct ptosim_thread_shape {
    uint32_t grid[3];  /* blocks: x, y, z */
    uint32_t block[3]; /* threads of a block */
    uint64_t dynamic;  /* bytes of UB for arrays without a size */
} ptosim_thread_shape;

typedef struct ptosim_thread_block {
    ptosim_thread_shape shape;
    void (*run)(const void* arguments); /* runs one thread */
    const void* arguments;
    uint32_t within_kernel; /* 1: the code of a core calls them, as a function */
} ptosim_thread_block;
PTOSIM_ABI uint32_t ptosim_in_thread(void);
/* Runs the threads of this core's block. */
PTOSIM_ABI void ptosim_run_threads(const ptosim_thread_block* block);

enum ptosim_thread_index {
    PTOSIM_THREAD_X = 0, /* threadIdx; y and z follow */
    PTOSIM_BLOCK_X = 3,  /* blockIdx */
    PTOSIM_THREADS_X = 6, /* blockDim */
    PTOSIM_BLOCKS_X = 9, /* gridDim */
    PTOSIM_LANE = 12
};
PTOSIM_ABI uint32_t ptosim_thread_number(uint32_t which) __attribute__((const));

/* Ends the run if the block has more threads than its function permits. */
PTOSIM_ABI void ptosim_thread_bound(uint32_t most, ptosim_location where);

/* An array of UB that all threads of a block share. `place` is a static variable of the kernel's library for each
 * array; the first thread that comes to its declaration allocates it. */
typedef struct ptosim_shared_array {
    uint64_t launch; /* for which `address` holds */
    uint64_t address; /* byte in UB */
} ptosim_shared_array;
PTOSIM_ABI void* ptosim_share_array(ptosim_shared_array* place, uint64_t bytes, uint64_t alignment);
/* The array without a size. */
PTOSIM_ABI void* ptosim_dynamic_array(void) __attribute__((const));

enum ptosim_pointed_memory { PTOSIM_POINTS_TO_GLOBAL = 0, PTOSIM_POINTS_TO_UB = 1, PTOSIM_POINTS_TO_STACK = 2 };
PTOSIM_ABI uint32_t ptosim_memory_of(const void* pointer);

/* What a thread does, in its order. */
enum ptosim_thread_event_kind {
    PTOSIM_THREAD_LOAD = 0,
    PTOSIM_THREAD_STORE = 1,
    PTOSIM_THREAD_ATOMIC = 2,
    PTOSIM_THREAD_WARP = 3,
    PTOSIM_THREAD_BARRIER = 4,
    PTOSIM_THREAD_FENCE = 5,
    PTOSIM_THREAD_CLOCK = 6,
    PTOSIM_THREAD_END = 7
};
/* Of an atomic operation: its result is used; memory has the same value after it. Of a fence: it is for threads of the
 * block only. */
enum { PTOSIM_RESULT_USED = 1, PTOSIM_UNCHANGED = 2, PTOSIM_FENCE_OF_BLOCK = 4 };
typedef struct ptosim_thread_event {
    uint64_t address;      /* of an access */
    const void* code;      /* in the kernel; equal for lanes that do it together */
    uint32_t instructions; /* of the thread since its last event */
    uint8_t kind, bytes;
    uint8_t past_cache; /* 1: it bypasses the data cache */
    uint8_t used;       /* PTOSIM_RESULT_USED and the like */
} ptosim_thread_event;
/* Accesses of UB by thread functions in kernels that are compiled as tiles, whose pointers to UB
 * are numbers of bytes there: up to 8 bytes. */
PTOSIM_ABI uint64_t ptosim_thread_load(uint64_t address, uint32_t bytes, ptosim_location where);
PTOSIM_ABI void ptosim_thread_store(uint64_t address, uint32_t bytes, uint64_t bits,
                                    ptosim_location where);
/* A fence of the thread's accesses: for all threads, or the others of its block. */
PTOSIM_ABI void ptosim_thread_fence(void) PTOSIM_CONVERGENT;
PTOSIM_ABI void ptosim_thread_fence_of_block(void) PTOSIM_CONVERGENT;
/* The running thread's room for events is used up, or its warp works in lockstep: lets others run
 * before the access that the code at `code` makes. */
PTOSIM_ABI void ptosim_thread_events_full(const void* code);

/* Waits for all threads of the block. */
PTOSIM_ABI void ptosim_thread_barrier(void) PTOSIM_CONVERGENT;
/* Lets other threads run. */
PTOSIM_ABI void ptosim_thread_pause(void);
PTOSIM_ABI uint64_t ptosim_thread_clock(void);

enum ptosim_warp_operation {
    PTOSIM_WARP_ALL = 0,
    PTOSIM_WARP_ANY = 1,
    PTOSIM_WARP_BALLOT = 2,
    PTOSIM_WARP_ACTIVE = 3,
    PTOSIM_WARP_SHUFFLE = 4,
    PTOSIM_WARP_SHUFFLE_UP = 5,
    PTOSIM_WARP_SHUFFLE_DOWN = 6,
    PTOSIM_WARP_SHUFFLE_XOR = 7,
    PTOSIM_WARP_ADD = 8,
    PTOSIM_WARP_MAX = 9,
    PTOSIM_WARP_MIN = 10,
    PTOSIM_WARP_UNIFORM = 11 /* value of the first active lane */
};
/* An operation on the lanes of a warp that reach this call together. `operand` is the lane, distance or mask of a
 * shuffle in groups of `width` lanes. */
PTOSIM_ABI uint64_t ptosim_warp(uint32_t operation, uint8_t dtype, uint64_t value, int32_t operand,
                                int32_t width) PTOSIM_CONVERGENT;

enum ptosim_atomic_operation {
    PTOSIM_ATOMIC_ADD = 0,
    PTOSIM_ATOMIC_SUB = 1,
    PTOSIM_ATOMIC_EXCHANGE = 2,
    PTOSIM_ATOMIC_COMPARE = 3, /* stores if the memory has `compare` */
    PTOSIM_ATOMIC_MAX = 4,
    PTOSIM_ATOMIC_MIN = 5,
    PTOSIM_ATOMIC_INC = 6,
    PTOSIM_ATOMIC_DEC = 7,
    PTOSIM_ATOMIC_AND = 8,
    PTOSIM_ATOMIC_OR = 9,
    PTOSIM_ATOMIC_XOR = 10
};
/* An address below PTOSIM_UB_END is a byte of UB. The result is what the memory had before; a call that nothing uses
 * does not remain in the code, so the simulator receives whether the thread waits for it. */
PTOSIM_ABI void ptosim_thread_atomic(uint32_t operation, uint8_t dtype, uint64_t address, uint64_t value,
                                     uint64_t compare);
PTOSIM_ABI uint64_t ptosim_atomic_result(void) __attribute__((pure));

/* A conversion; `round` as PTOSIM_ATTR_ROUND, `saturation` as PTOSIM_ATTR_SATURATION. */
PTOSIM_ABI uint64_t ptosim_thread_convert(uint8_t to, uint8_t from, uint64_t bits, uint8_t round, uint8_t saturation)
    __attribute__((const));
enum ptosim_thread_function_number {
    PTOSIM_THREAD_EXP = 0,
    PTOSIM_THREAD_LOG = 1,
    PTOSIM_THREAD_SQRT = 2,
    PTOSIM_THREAD_ABS = 3,
    PTOSIM_THREAD_FLOOR = 4,
    PTOSIM_THREAD_CEIL = 5,
    PTOSIM_THREAD_RINT = 6,
    PTOSIM_THREAD_ROUND = 7,
    PTOSIM_THREAD_POW = 8
};
/* A function of a number of float, half or bf16. */
PTOSIM_ABI uint64_t ptosim_thread_function(uint32_t which, uint8_t dtype, uint64_t a, uint64_t b)
    __attribute__((const));
/* a * b + c, rounded once. */
PTOSIM_ABI float ptosim_thread_fma(float a, float b, float c) __attribute__((const));

/* Printing and stops of threads. */
PTOSIM_ABI void ptosim_thread_print(const char* text, uint64_t length);
PTOSIM_ABI void ptosim_thread_stop(const char* message, const char* file, uint32_t line) __attribute__((noreturn));

#endif
