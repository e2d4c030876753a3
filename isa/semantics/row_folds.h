// Sums and products along rows, many rows at a time: each row keeps its order, from its first element on.
#pragma once

#include <cstddef>
#include <cstdint>

#include "isa/numeric/half_lanes.h"

namespace ptosim::semantics {

inline constexpr int kFoldedTogether = 16;  // rows

// `count` elements of each of at most kFoldedTogether rows, `pitch` bytes from one to the next. Each step is rounded;
// results have canonical NaNs. kAdd and kMul only.
void fold_rows(HalfOperation operation, const std::byte* rows, int64_t pitch, int row_count, int count,
               float (&results)[kFoldedTogether]);
// The same for f16, with floats as results.
void fold_half_rows(HalfOperation operation, const std::byte* rows, int64_t pitch, int row_count, int count,
                    float (&results)[kFoldedTogether]);

}  // namespace ptosim::semantics
