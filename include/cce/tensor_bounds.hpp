// Sizes of Ascend C's tensors and buffers. `ptosim build` puts calls of these functions in front of the bodies of its
// functions (sim/compile/ascendc_words.h).
#pragma once

#include <cstdint>
#include <type_traits>

#include "ptosim/tensor_bounds.h"

namespace pto::ptosim_detail {

// SetBufferLen stores a number of elements where the address of a tensor otherwise has bytes. The last of each of 16 places.
struct StatedLength {
    uint32_t address, elements, bytes;
};
inline StatedLength& stated_length(uint64_t address) {
    static StatedLength lengths[16]{};
    return lengths[address / 32 % 16];
}
template <class T_, class Address_>
void note_length(const Address_& address, uint32_t elements) {
    const auto at = static_cast<uint32_t>(address.bufferAddr);
    stated_length(at) = {at, elements, static_cast<uint32_t>(elements * sizeof(T_))};
}

// `memory`: Hardware of Ascend C, whose numbers are those of ptosim_space after 0 for global memory.
template <class Address_>
void note_tensor(const Address_& address, unsigned memory) {
    if (memory == 0 || ptosim_recent_tensors == nullptr) return;
    ptosim_tensors& tensors = *ptosim_recent_tensors;
    const StatedLength& stated = stated_length(address.bufferAddr);
    const bool in_elements = stated.address == address.bufferAddr && stated.elements == address.dataLen;
    tensors.recent[tensors.next++ % PTOSIM_RECENT_TENSORS] = {static_cast<uint32_t>(address.bufferAddr),
                                                             in_elements ? stated.bytes : static_cast<uint32_t>(address.dataLen),
                                                             memory - 1};
}

inline void declare_tensor(unsigned memory, uint32_t begin, uint32_t size) {
    if (memory == 0) return;
    const ptosim_buffers buffers{{begin, size, memory - 1}, 1, 0, 0, 0, 1};
    ptosim_declare_buffers(&buffers);
}

// Declares the buffers of a queue or a TBuf at the end of InitBuffer. `start`: the record of the first one. `position`: of
// a queue, else 0.
template <class Start_>
class BufferScope {
 public:
    BufferScope(const Start_& start, unsigned memory, unsigned position, unsigned count)
        : start_{start}, memory_{memory}, position_{position}, count_{count} {}
    BufferScope(const BufferScope&) = delete;
    ~BufferScope() noexcept(false) {
        if constexpr (std::is_pointer_v<Start_>) {
            if (memory_ == 0 || count_ == 0) return;
            const ptosim_buffers buffers{{static_cast<uint32_t>(start_->address), static_cast<uint32_t>(start_->dataLen),
                                          memory_ - 1},
                                         count_,
                                         position_,
                                         kMostBuffers,
                                         0,
                                         0};
            ptosim_declare_buffers(&buffers);
        }
    }

 private:
    // Buffers of one position on a2a3, because each needs an event id (asc-devkit, TQue); an a5 has other means.
#ifdef PTO_NPU_ARCH_A2A3
    static constexpr unsigned kMostBuffers = 8;
#else
    static constexpr unsigned kMostBuffers = 0;
#endif
    const Start_& start_;
    unsigned memory_, position_, count_;
};

// All memories are free.
inline void forget_buffers() {
    const ptosim_buffers none{{0, 0, 0}, 0, 0, 0, 1, 0};
    ptosim_declare_buffers(&none);
}

template <class T_>
void check_copy(uint32_t count) {
    if constexpr (!std::is_class_v<T_>) ptosim_check_copy(count, sizeof(T_) * 8);
}

// The work buffer of ReduceSum. On an a5 it holds a sum of each 256 bytes, unless all are at most 1024 bytes (asc-devkit,
// ReduceSum.md); other architectures use none, or instructions whose operands are checked themselves.
template <class T_, class Tensor_>
void check_work_of_sum([[maybe_unused]] const Tensor_& work, [[maybe_unused]] int32_t count) {
#ifdef PTO_NPU_ARCH_A5
    constexpr uint64_t kRepeatBytes = 256, kUnbufferedBytes = 1024, kBlockBytes = 32;
    if constexpr (sizeof(T_) <= 4) {
        const uint64_t bytes = static_cast<uint64_t>(count) * sizeof(T_);
        const uint64_t sums = bytes / kRepeatBytes * sizeof(T_);
        if (count > 0 && bytes > kUnbufferedBytes)
            ptosim_check_work("ReduceSum", uint64_t{work.GetSize()} * sizeof(T_),
                              (sums + kBlockBytes - 1) / kBlockBytes * kBlockBytes);
    }
#endif
}

}  // namespace pto::ptosim_detail
