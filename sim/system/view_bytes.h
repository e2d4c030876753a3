// The bytes of a view, row by row.
#pragma once

#include "isa/core/view_rows.h"

namespace ptosim {

// Calls row(address, bytes) for the contiguous parts of a view, in the order of its loops.
template <class Row>
void for_rows_of(const GlobalView& view, const Row& row) {
    if (view.elements() == 0) return;
    const ViewRows rows = rows_of(view);
    const auto in_bytes = [&](int64_t elements) {
        return static_cast<uint64_t>(elements * static_cast<int64_t>(bits(view.dtype)) / 8);
    };
    const uint64_t size = bytes(view.dtype, static_cast<size_t>(rows.length));
    std::array<int32_t, GlobalView::kRank> index{};
    for (;;) {
        int64_t offset = 0;
        for (size_t i = 0; i < rows.depth; ++i) offset += index[i] * view.stride[rows.loops[i]];
        row(view.address + in_bytes(offset), size);
        size_t i = 0;
        while (i < rows.depth && ++index[i] == view.shape[rows.loops[i]]) index[i++] = 0;
        if (i == rows.depth) return;
    }
}

inline uint64_t bytes_of(const GlobalView& view) {
    uint64_t total = 0;
    for_rows_of(view, [&](uint64_t, uint64_t size) { total += size; });
    return total;
}

}  // namespace ptosim
