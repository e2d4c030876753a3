// Tensors in the queues (TQue) of an Ascend C kernel: the last step of each, and steps that its queue forbids. On a
// device the library checks them only if it is compiled with asserts.
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

// Text such as "EnQue".
std::string_view name_of_step(uint8_t kind);

class TensorQueues {
 public:
    // Processes a step. Returns the error without its location, if any; steps of unknown queues are accepted.
    std::optional<Diagnostic> step(const ptosim_queue_step& step, SourceLocation where, const SourceMap& sources);

    // Calls of EnQue whose tensors no DeQue has taken; one for each location.
    std::vector<SourceLocation> left() const;

 private:
    struct Tensor {
        uint64_t queue = 0;
        ptosim_queue_step_kind last = PTOSIM_QUEUE_FREE;
        SourceLocation where;  // of its last step
    };

    std::optional<Diagnostic> allocate(const ptosim_queue_step& step, SourceLocation where, const SourceMap& sources);
    std::optional<Diagnostic> move(const ptosim_queue_step& step, Tensor& tensor, SourceLocation where,
                                   const SourceMap& sources);

    std::map<uint64_t, Tensor> tensors_;                // by their buffer
    std::map<uint64_t, std::deque<uint64_t>> waiting_;  // by queue: buffers from EnQue to DeQue, oldest first
};

}  // namespace ptosim
