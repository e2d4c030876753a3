// Extent of a view of global memory, in numbers that do not wrap around.
#pragma once

#include <cstdint>
#include <optional>

#include "isa/core/global_view.h"

namespace ptosim {

// Strides beyond this (in elements, either way) belong to no view of any memory.
inline constexpr int64_t kMaxStride = int64_t{1} << 48;
// Upper bound of a size in bytes: GlobalView::span_bytes() returns this for any larger one.
inline constexpr uint64_t kMaxViewBytes = uint64_t{1} << 62;

// The bytes of all elements relative to the view's address, begin <= 0 <= end.
struct ViewSpan {
    int64_t begin = 0, end = 0;
};
// Nothing if an element is farther away than kMaxViewBytes, or a stride is beyond kMaxStride.
std::optional<ViewSpan> span_of(const GlobalView& view);

}  // namespace ptosim
