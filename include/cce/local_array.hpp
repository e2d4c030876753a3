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

#ifdef PTO_NPU_ARCH_A5
// An array in the static part of UB, which precedes the dynamic part with the buffers of pipes: an
// address for each declaration of the code that is loaded. The tag's type is another one at each
// declaration.
inline uint64_t reserve_static(uint64_t bytes) {
    const uint64_t begin = (local_top<256>() + 31) / 32 * 32;
    local_top<256>() = begin + bytes;
    return begin;
}
template <class Array_, class Tag_>
class StaticArray {
 public:
    explicit StaticArray(ptosim_shared_array& place) : begin_{address_} {
        if (ptosim_in_thread() == 0) return;
        ptosim_share_array(&place, sizeof(Array_), 32);
        begin_ = place.address;
    }
    Array_& get() const {
        using Element_ = std::remove_extent_t<Array_>;
        return *(Array_*)(Element_*)begin_;
    }

 private:
    static inline const uint64_t address_ = reserve_static(sizeof(Array_));
    uint64_t begin_;
};
template <class Array_, class Tag_>
inline StaticArray<Array_, Tag_> static_array(ptosim_shared_array& place, Tag_) {
    return StaticArray<Array_, Tag_>(place);
}
#endif

}  // namespace pto::ptosim_detail
