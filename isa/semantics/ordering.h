// Order of elements, in which NaN is below every number.
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

// True if a reduction to the greatest or the least lane and its index takes `lane` in place of `best`: on hardware the
// first NaN, which ieee takes only if there is nothing else.
template <bool kGreatest>
class BetterLane {
public:
    explicit BetterLane(Numerics numerics) : keeps_nan_{numerics != Numerics::kIEEE} {}
    template <typename T>
    bool operator()(T lane, T best) const {
        if (keeps_nan_ && (missing(lane) || missing(best))) return !missing(best);
        return kGreatest ? greater(lane, best) : less(lane, best);
    }

private:
    bool keeps_nan_;
};

}  // namespace ptosim::semantics
