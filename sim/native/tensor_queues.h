// Tensors in the queues (TQue) of an Ascend C kernel: which step each of them has taken last, and steps that its
// queue does not allow. The library checks them on a device only if it is compiled with asserts.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <string_view>
#include <vector>

#include "isa/core/diagnostic.h"
#include "isa/core/kernel.h"
#include "ptosim/tensor_queue.h"

namespace ptosim {

// "EnQue"
std::string_view name_of_step(uint8_t kind);

class TensorQueues {
 public:
    // Takes a step in. What is wrong with it, without its place; a step of a queue that is not followed is right.
    std::optional<Diagnostic> step(const ptosim_queue_step& step, SourceLocation where, const SourceMap& sources);

    // Calls of EnQue that have put tensors which no DeQue has taken; one of each place.
    std::vector<SourceLocation> left() const;

 private:
    struct Tensor {
        uint64_t queue = 0;
        ptosim_queue_step_kind last = PTOSIM_QUEUE_FREE;
        SourceLocation where;  // of that step
    };

    std::optional<Diagnostic> allocate(const ptosim_queue_step& step, SourceLocation where, const SourceMap& sources);
    std::optional<Diagnostic> move(const ptosim_queue_step& step, Tensor& tensor, SourceLocation where,
                                   const SourceMap& sources);

    std::map<uint64_t, Tensor> tensors_;                // by their buffer
    std::map<uint64_t, std::deque<uint64_t>> waiting_;  // by queue: buffers from EnQue to DeQue, oldest first
};

}  // namespace ptosim
