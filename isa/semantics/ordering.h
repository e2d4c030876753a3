// Which of two elements is the greater one, where NaN is below every number.
#pragma once

#include "isa/semantics/arithmetic.h"

namespace ptosim::semantics {

template <typename T>
bool missing(T value) {
    if constexpr (is_float_v<T>)
        return is_nan(value);
    else
        return static_cast<void>(value), false;
}

template <typename T>
bool greater(T a, T b) {
    if constexpr (is_float_v<T>)
        return missing(b) ? !missing(a) : to_float(a) > to_float(b);
    else
        return a > b;
}
template <typename T>
bool less(T a, T b) {
    if constexpr (is_float_v<T>)
        return missing(b) ? !missing(a) : to_float(a) < to_float(b);
    else
        return a < b;
}

}  // namespace ptosim::semantics
