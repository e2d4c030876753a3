// Steps of tensors through the queues of Ascend C. `ptosim build` puts calls of these functions in front of the
// bodies of TQueBind's functions (sim/compile/ascendc_words.h).
#pragma once

#include <cstdint>
#include <type_traits>

#include "ptosim/tensor_queue.h"

namespace pto::ptosim_detail {

// Queues whose buffers are managed globally (dav-3510) keep them in themselves: those are not followed.
template <class Start_>
inline constexpr bool kFollowsQueue = std::is_pointer_v<Start_>;

// `start`: records of the queue's buffers (TBufType).
template <class Start_>
ptosim_queue_step queue_step(const void* queue, Start_ start, unsigned buffers, int depth, const void* buffer) {
    ptosim_queue_step step{};
    step.queue = (uint64_t)queue;
    step.buffer = (uint64_t)buffer;
    step.index = step.buffer < (uint64_t)start ? -1 : static_cast<int64_t>((step.buffer - (uint64_t)start) / sizeof(*start));
    step.buffers = buffers;
    step.depth = static_cast<uint32_t>(depth);
    return step;
}

// AllocTensor takes the first free buffer from `cursor` on.
template <class Start_>
void queue_allocates(const void* queue, const Start_& start, unsigned buffers, unsigned cursor, int depth) {
    if constexpr (kFollowsQueue<Start_>) {
        ptosim_queue_step step = queue_step(queue, start, buffers, depth, nullptr);
        for (unsigned i = buffers; i-- > 0;) {
            const auto* const buffer = start + (cursor + i) % buffers;
            if (static_cast<unsigned>(buffer->state) == 0)
                step.buffer = (uint64_t)buffer;
            else
                ++step.in_use;
        }
        step.kind = PTOSIM_QUEUE_ALLOC;
        ptosim_step_queue(&step);
    }
}

template <class Start_>
void queue_moves(const void* queue, const Start_& start, unsigned buffers, ptosim_queue_step_kind kind,
                 const void* buffer, int depth) {
    if constexpr (kFollowsQueue<Start_>) {
        ptosim_queue_step step = queue_step(queue, start, buffers, depth, buffer);
        step.kind = kind;
        ptosim_step_queue(&step);
    }
}

}  // namespace pto::ptosim_detail
