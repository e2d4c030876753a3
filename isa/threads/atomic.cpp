#include "isa/threads/atomic.h"

#include <type_traits>

#include "isa/threads/typed.h"

namespace ptosim {
namespace {

template <class T>
std::optional<uint64_t> atomic_of(ThreadAtomic operation, uint64_t before, uint64_t value, uint64_t compare) {
    constexpr bool kInteger = std::is_integral_v<T>;
    constexpr bool kUnsigned = std::is_unsigned_v<T>;
    const T a = from_low_bits<T>(before), b = from_low_bits<T>(value);
    switch (operation) {
        case ThreadAtomic::kAdd:
            return low_bits(sum_of(a, b));
        case ThreadAtomic::kSub:
            if constexpr (sizeof(T) > 2) return low_bits(difference_of(a, b));
            return std::nullopt;
        case ThreadAtomic::kMax:
            return low_bits(greater_of(a, b));
        case ThreadAtomic::kMin:
            return low_bits(lesser_of(a, b));
        case ThreadAtomic::kExchange:
            if constexpr (sizeof(T) > 2) return value;
            return std::nullopt;
        case ThreadAtomic::kCompare:
            if constexpr (sizeof(T) > 2) return before == compare ? value : before;
            return std::nullopt;
        case ThreadAtomic::kInc:
            if constexpr (kUnsigned) return low_bits(a >= b ? T{0} : static_cast<T>(a + 1));
            return std::nullopt;
        case ThreadAtomic::kDec:
            if constexpr (kUnsigned) return low_bits(a == 0 || a > b ? b : static_cast<T>(a - 1));
            return std::nullopt;
        case ThreadAtomic::kAnd:
            if constexpr (kInteger) return before & value;
            return std::nullopt;
        case ThreadAtomic::kOr:
            if constexpr (kInteger) return before | value;
            return std::nullopt;
        case ThreadAtomic::kXor:
            if constexpr (kInteger) return before ^ value;
            return std::nullopt;
        case ThreadAtomic::kCount:
            break;
    }
    return std::nullopt;
}

}  // namespace

std::optional<uint64_t> atomic_result(ThreadAtomic operation, DType type, uint64_t before, uint64_t value,
                                      uint64_t compare) {
    std::optional<uint64_t> result;
    with_thread_type(type, [&](auto zero) { result = atomic_of<decltype(zero)>(operation, before, value, compare); });
    return result;
}

}  // namespace ptosim
