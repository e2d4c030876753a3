#include "sim/machine/core/scalar_atomic.h"

#include <cstring>
#include <type_traits>

namespace ptosim {
namespace {

template <class T>
uint64_t combine_as(AtomicMode mode, uint64_t a, uint64_t b) {
    T x{}, y{};
    std::memcpy(&x, &a, sizeof x);
    std::memcpy(&y, &b, sizeof y);
    switch (mode) {
        case AtomicMode::kAdd:
            if constexpr (std::is_integral_v<T>)
                x = static_cast<T>(static_cast<std::make_unsigned_t<T>>(x) +
                                   static_cast<std::make_unsigned_t<T>>(y));
            else
                x = x + y;
            break;
        case AtomicMode::kMax:
            x = y > x ? y : x;
            break;
        case AtomicMode::kMin:
            x = y < x ? y : x;
            break;
        case AtomicMode::kNone:
            x = y;
            break;
    }
    uint64_t result = 0;
    std::memcpy(&result, &x, sizeof x);
    return result;
}

}  // namespace

uint64_t combine(DType type, AtomicMode mode, uint64_t before, uint64_t bits) {
    switch (type) {
        case DType::kI32:
            return combine_as<int32_t>(mode, before, bits);
        case DType::kU32:
            return combine_as<uint32_t>(mode, before, bits);
        case DType::kI64:
            return combine_as<int64_t>(mode, before, bits);
        case DType::kU64:
            return combine_as<uint64_t>(mode, before, bits);
        default:
            return combine_as<float>(mode, before, bits);
    }
}

}  // namespace ptosim
