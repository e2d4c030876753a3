// Small helpers that kernels name.
#pragma once

#include "pto/common/intrinsics.hpp"

namespace pto {

template <typename T_, typename... Types>
inline constexpr bool isSupportType = (std::is_same_v<T_, Types> || ...);

// Vector intrinsics after it work on the first `lanes` lanes of each repeat, up to 128.
inline void SetContinuousMask(unsigned lanes) {
    const auto first = [](unsigned count) {
        return count >= 64 ? ~uint64_t{0} : (uint64_t{1} << count) - 1;
    };
    set_vector_mask(lanes > 64 ? first(lanes - 64) : 0, first(lanes));
}
// Vector intrinsics after it work on all lanes.
template <typename T_>
inline void SetFullVecMaskByDType() {
    set_vector_mask(~uint64_t{0}, ~uint64_t{0});
}

inline int32_t CeilDivision(int32_t a, int32_t b) { return b == 0 ? 0 : (a + b - 1) / b; }
inline uint32_t CeilAlignment(uint32_t a, uint32_t b) { return b == 0 ? 0 : (a + b - 1) / b * b; }

}  // namespace pto
