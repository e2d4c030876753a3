// Scalar accesses by pointers that kernels have declared as __ubuf__
// (sim/compile/local_pointers.h): to UB, if the number is an address there, else to the host's
// memory, as by any pointer. Calls are inlined, because threads distinguish accesses by their
// places in the code.
#pragma once

#include <type_traits>

#include "pto/common/raw_copies.hpp"
#ifdef PTOSIM_THREAD_FUNCTIONS
#include "ptosim/threads.h"
#endif
#define PTO_DETAIL_POINTED __attribute__((always_inline)) inline

namespace pto::ptosim_detail {

template <class T_>
constexpr bool is_local_word =
    sizeof(T_) <= 8 && (sizeof(T_) & (sizeof(T_) - 1)) == 0 && std::is_trivially_copyable_v<T_>;

template <class T_>
bool points_to_local(const T_* pointer) {
    return is_local_word<T_> && reinterpret_cast<uintptr_t>(pointer) < PTOSIM_UB_END;
}

template <class T_>
ptosim_tile local_word(const T_* pointer) {
    ptosim_tile word = byte_rows(PTOSIM_UB, const_cast<const std::remove_cv_t<T_>*>(pointer), 1, 1, 1).tile;
    word.dtype = sizeof(T_) == 8 ? PTOSIM_U64 : sizeof(T_) == 4 ? PTOSIM_U32 : sizeof(T_) == 2 ? PTOSIM_U16 : PTOSIM_U8;
    return word;
}

PTO_DETAIL_POINTED bool is_thread() {
#ifdef PTOSIM_THREAD_FUNCTIONS
    return ptosim_in_thread() != 0;
#else
    return false;
#endif
}
// A word of UB, by a thread or by the scalar unit.
template <class T_>
PTO_DETAIL_POINTED uint64_t load_word(const T_* pointer, ptosim_location where) {
#ifdef PTOSIM_THREAD_FUNCTIONS
    if (is_thread())
        return ptosim_thread_load(reinterpret_cast<uint64_t>(pointer), sizeof(T_), where);
#endif
    const ptosim_tile word = local_word(pointer);
    return ptosim_load_local(&word, 0, where);
}
template <class T_>
PTO_DETAIL_POINTED void store_word(T_* pointer, uint64_t bits, ptosim_location where) {
#ifdef PTOSIM_THREAD_FUNCTIONS
    if (is_thread())
        return ptosim_thread_store(reinterpret_cast<uint64_t>(pointer), sizeof(T_), bits, where);
#endif
    const ptosim_tile word = local_word(pointer);
    ptosim_store_local(&word, 0, bits, where);
}

template <class T_>
PTO_DETAIL_POINTED std::remove_cv_t<T_> read_pointer(T_* pointer, PTO_DETAIL_WHERE) {
    if (!points_to_local(pointer)) return *pointer;
    const uint64_t bits = load_word(pointer, where);
    std::remove_cv_t<T_> value;
    __builtin_memcpy(&value, &bits, sizeof value);
    return value;
}

// The left side of an assignment.
template <class T_>
class PointerTarget {
 public:
    using Value = std::remove_cv_t<T_>;

    PTO_DETAIL_POINTED PointerTarget(T_* pointer, ptosim_location where)
        : pointer_{pointer}, where_{where} {}
    PTO_DETAIL_POINTED operator Value() const { return read_pointer(pointer_, where_); }
    template <class V_>
    PTO_DETAIL_POINTED const PointerTarget& operator=(const V_& value) const {
        return write(static_cast<Value>(value));
    }
    PTO_DETAIL_POINTED const PointerTarget& operator=(const PointerTarget& other) const {
        return write(static_cast<Value>(other));
    }
#define PTO_DETAIL_COMPOUND(Sign_)                                                     \
    template <class V_>                                                                \
    PTO_DETAIL_POINTED const PointerTarget& operator Sign_##=(const V_& value) const { \
        return write(static_cast<Value>(static_cast<Value>(*this) Sign_ value));       \
    }
    PTO_DETAIL_COMPOUND(+)
    PTO_DETAIL_COMPOUND(-)
    PTO_DETAIL_COMPOUND(*)
    PTO_DETAIL_COMPOUND(/)
    PTO_DETAIL_COMPOUND(%)
    PTO_DETAIL_COMPOUND(&)
    PTO_DETAIL_COMPOUND(|)
    PTO_DETAIL_COMPOUND(^)
    PTO_DETAIL_COMPOUND(<<)
    PTO_DETAIL_COMPOUND(>>)
#undef PTO_DETAIL_COMPOUND
    PTO_DETAIL_POINTED const PointerTarget& operator++() const { return *this += 1; }
    PTO_DETAIL_POINTED const PointerTarget& operator--() const { return *this -= 1; }
    PTO_DETAIL_POINTED Value operator++(int) const { return stepped(1); }
    PTO_DETAIL_POINTED Value operator--(int) const { return stepped(-1); }

 private:
    PTO_DETAIL_POINTED const PointerTarget& write(Value value) const {
        if (!points_to_local(pointer_)) {
            *pointer_ = value;
            return *this;
        }
        uint64_t bits = 0;
        __builtin_memcpy(&bits, &value, sizeof value);
        store_word(pointer_, bits, where_);
        return *this;
    }
    PTO_DETAIL_POINTED Value stepped(int step) const {
        const Value before = *this;
        write(static_cast<Value>(before + step));
        return before;
    }

    T_* pointer_;
    ptosim_location where_;
};

template <class T_>
PTO_DETAIL_POINTED PointerTarget<T_> written_pointer(T_* pointer, PTO_DETAIL_WHERE) {
    return {pointer, where};
}

}  // namespace pto::ptosim_detail
#undef PTO_DETAIL_POINTED
