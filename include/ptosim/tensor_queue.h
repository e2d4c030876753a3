/* A part of the kernel ABI: steps of tensors through a library's queues (TQue of Ascend C). */
#ifndef PTOSIM_TENSOR_QUEUE_H
#define PTOSIM_TENSOR_QUEUE_H

#include "ptosim/kernel_abi.h"

enum ptosim_queue_step_kind {
    PTOSIM_QUEUE_ALLOC = 0, /* AllocTensor */
    PTOSIM_QUEUE_ENQUE = 1,
    PTOSIM_QUEUE_DEQUE = 2,
    PTOSIM_QUEUE_FREE = 3 /* FreeTensor */
};

typedef struct ptosim_queue_step {
    uint64_t queue;   /* its address */
    uint64_t buffer;  /* the record of the tensor's buffer, which identifies it; 0: none is free, or the oldest one
                         in the queue (DEQUE) */
    int64_t index;    /* of the buffer among those of the queue; outside of [0, buffers) it belongs to another one */
    uint32_t buffers; /* that the queue has */
    uint32_t depth;   /* tensors that it holds; 0: the user keeps them */
    uint32_t in_use;  /* ALLOC: buffers that are not free */
    uint8_t kind;     /* ptosim_queue_step_kind */
} ptosim_queue_step;

/* A queue is about to take a step. One that would never end, an allocation without a free buffer, ends the run. */
PTOSIM_ABI void ptosim_step_queue(const ptosim_queue_step* step);

#endif
