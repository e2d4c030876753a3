// Scalar accesses by pointers that kernels have declared as __ubuf__ (sim/compile/local_pointers.h): to UB, if the
// number is an address there, else to the host's memory, as by any pointer.
#pragma once

#include <type_traits>

#include "pto/common/raw_copies.hpp"

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

template <class T_>
std::remove_cv_t<T_> read_pointer(T_* pointer, PTO_DETAIL_WHERE) {
    if (!points_to_local(pointer)) return *pointer;
    const ptosim_tile word = local_word(pointer);
    const uint64_t bits = ptosim_load_local(&word, 0, where);
    std::remove_cv_t<T_> value;
    __builtin_memcpy(&value, &bits, sizeof value);
    return value;
}

// The left side of an assignment.
template <class T_>
class PointerTarget {
 public:
    using Value = std::remove_cv_t<T_>;

    PointerTarget(T_* pointer, ptosim_location where) : pointer_{pointer}, where_{where} {}
    operator Value() const { return read_pointer(pointer_, where_); }
    template <class V_>
    const PointerTarget& operator=(const V_& value) const {
        return write(static_cast<Value>(value));
    }
    const PointerTarget& operator=(const PointerTarget& other) const { return write(static_cast<Value>(other)); }
#define PTO_DETAIL_COMPOUND(Sign_)                                          \
    template <class V_>                                                     \
    const PointerTarget& operator Sign_##=(const V_& value) const {         \
        return write(static_cast<Value>(static_cast<Value>(*this) Sign_ value)); \
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
    const PointerTarget& operator++() const { return *this += 1; }
    const PointerTarget& operator--() const { return *this -= 1; }
    Value operator++(int) const { return stepped(1); }
    Value operator--(int) const { return stepped(-1); }

 private:
    const PointerTarget& write(Value value) const {
        if (!points_to_local(pointer_)) {
            *pointer_ = value;
            return *this;
        }
        const ptosim_tile word = local_word(pointer_);
        uint64_t bits = 0;
        __builtin_memcpy(&bits, &value, sizeof value);
        ptosim_store_local(&word, 0, bits, where_);
        return *this;
    }
    Value stepped(int step) const {
        const Value before = *this;
        write(static_cast<Value>(before + step));
        return before;
    }

    T_* pointer_;
    ptosim_location where_;
};

template <class T_>
PointerTarget<T_> written_pointer(T_* pointer, PTO_DETAIL_WHERE) {
    return {pointer, where};
}

}  // namespace pto::ptosim_detail
