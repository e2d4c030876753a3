// Division of whole numbers that are not negative, rounded up.
#pragma once

#include <type_traits>

namespace ptosim {

template <typename A, typename B>
constexpr auto ceil_div(A value, B unit) {
    using T = std::common_type_t<A, B>;
    const T whole = static_cast<T>(value), part = static_cast<T>(unit);
    return static_cast<T>((whole + part - 1) / part);
}

// The least multiple of `unit` that is at least `value`.
template <typename A, typename B>
constexpr auto round_up(A value, B unit) {
    using T = std::common_type_t<A, B>;
    return static_cast<T>(ceil_div(value, unit) * static_cast<T>(unit));
}

}  // namespace ptosim
