// A view as rows: the elements that lie together, and the loops over them.
#pragma once

#include <algorithm>
#include <array>

#include "isa/core/global_view.h"

namespace ptosim {

struct ViewRows {
    int64_t length = 1;                             // elements of a row, one after the other
    std::array<size_t, GlobalView::kRank> loops{};  // dimensions, the one of the least stride first
    size_t depth = 0;                               // how many of them
};

inline ViewRows rows_of(const GlobalView& view) {
    std::array<size_t, GlobalView::kRank> order{0, 1, 2, 3, 4};
    std::sort(order.begin(), order.end(),
              [&](size_t a, size_t b) { return view.stride[a] < view.stride[b]; });
    ViewRows rows;
    rows.length = view.block_channels();
    for (const size_t d : order) {
        if (view.shape[d] <= 1) continue;
        if (rows.depth == 0 && view.stride[d] == rows.length)
            rows.length *= view.shape[d];
        else
            rows.loops[rows.depth++] = d;
    }
    return rows;
}

// Number of rows of a view, at least one.
inline uint64_t row_count(const GlobalView& view) {
    const ViewRows rows = rows_of(view);
    int64_t count = 1;
    for (size_t i = 0; i < rows.depth; ++i) count *= view.shape[rows.loops[i]];
    return static_cast<uint64_t>(std::max<int64_t>(1, count));
}

}  // namespace ptosim
