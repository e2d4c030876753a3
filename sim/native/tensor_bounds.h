// Sizes of the tensors and buffers of an Ascend C kernel: the operands of each instruction must lie within them. On a
// device the library checks them only if it is compiled with asserts.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string_view>
#include <vector>

#include "isa/core/diagnostic.h"
#include "isa/core/instruction.h"
#include "isa/core/kernel.h"
#include "ptosim/tensor_bounds.h"

namespace ptosim {

class TensorBounds {
 public:
    // Takes buffers that the kernel declares. Returns the error without its location: Q06 if they are beyond the end of
    // their memory of `room` bytes (0: unknown), Q05 if a position has too many.
    std::optional<Diagnostic> declare(const ptosim_buffers& buffers, SourceLocation where, uint64_t room);

    // Reports the first operand that begins in a tensor or buffer and reaches beyond its end (A12), without a location.
    std::optional<Diagnostic> check(const Instruction& instruction, const SourceMap& sources) const;

    // The end of the tensor or buffer that contains a byte; 0: unknown.
    uint64_t end_at(Space space, uint64_t begin) const;

    // The tensors that the kernel's code has used last.
    ptosim_tensors recent{};

 private:
    struct Buffer {
        uint64_t begin = 0, end = 0;
        SourceLocation where;
    };
    const Buffer* buffer_at(Space space, uint64_t begin) const;
    // The end of the tensor used last that contains the byte, else of its buffer; 0: unknown.
    ptosim_tensor extent_at(Space space, uint64_t begin) const;

    std::map<Space, std::vector<Buffer>> buffers_;
    std::map<uint32_t, unsigned> of_queues_;  // number of buffers by position
};

// A copy of whole blocks that leaves out the rest of its data (D03), without a location. Empty if there is no rest.
std::optional<Diagnostic> rounded_copy(uint32_t count, uint32_t bits);
// A work buffer that is smaller than its function's documents require (A12), without a location. Empty if it is not.
std::optional<Diagnostic> short_work_buffer(std::string_view function, uint64_t size, uint64_t needed);

}  // namespace ptosim
