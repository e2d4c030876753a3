// Arrays of on-chip memories that functions of kernels declare: sim/compile/local_arrays.h.
#pragma once

#include <stdint.h>

#include <type_traits>

#include "cce/arch.hpp"

#ifdef PTO_NPU_ARCH_A5
#include "ptosim/threads.h"
#endif

namespace pto::ptosim_detail {

// The first byte of a memory that no array in scope has, by address space. Each core has a copy of a
// kernel's code, with its variables.
template <unsigned Space_>
inline uint64_t& local_top() {
    static uint64_t top = 0;
    return top;
}

// Array_, with its address space, at the next multiple of 32 bytes.
template <class Array_, unsigned Space_>
class LocalArray {
 public:
    LocalArray() : begin_{(local_top<Space_>() + 31) / 32 * 32}, before_{local_top<Space_>()} {
        local_top<Space_>() = begin_ + sizeof(Array_);
    }
#ifdef PTO_NPU_ARCH_A5
    // In a function of threads all threads of the block have the same array.
    explicit LocalArray(ptosim_shared_array& place) : LocalArray() {
        if (ptosim_in_thread() == 0) return;
        local_top<Space_>() = before_;
        ptosim_share_array(&place, sizeof(Array_), 32);
        begin_ = place.address;
    }
#endif
    ~LocalArray() { local_top<Space_>() = before_; }
    LocalArray(const LocalArray&) = delete;
    LocalArray& operator=(const LocalArray&) = delete;

    Array_& get() const {
        using Element_ = std::remove_extent_t<Array_>;
        return *(Array_*)(Element_*)begin_;
    }

 private:
    uint64_t begin_, before_;
};

}  // namespace pto::ptosim_detail
