#include "isa/global_view.h"

namespace ptosim {

std::string_view name(GlobalLayout layout) {
    switch (layout) {
        case GlobalLayout::kND:
            return "ND";
        case GlobalLayout::kDN:
            return "DN";
        case GlobalLayout::kNZ:
            return "NZ";
    }
    return "?";
}

int64_t GlobalView::elements() const {
    int64_t count = 1;
    for (int32_t extent : shape) count *= extent;
    return count;
}

uint64_t GlobalView::span_bytes() const {
    if (elements() <= 0) return 0;
    int64_t last = 0;
    for (int i = 0; i < kRank; ++i) last += (shape[i] - 1) * stride[i];
    return bytes(dtype, static_cast<size_t>(last + 1));
}

int64_t GlobalView::matrix_rows() const {
    switch (layout) {
        case GlobalLayout::kND:
            return int64_t{shape[0]} * shape[1] * shape[2] * shape[3];
        case GlobalLayout::kDN:
            return shape[3];
        case GlobalLayout::kNZ:
            return int64_t{shape[2]} * shape[3];
    }
    return 0;
}

int64_t GlobalView::matrix_cols() const {
    switch (layout) {
        case GlobalLayout::kND:
            return shape[4];
        case GlobalLayout::kDN:
            return int64_t{shape[0]} * shape[1] * shape[2] * shape[4];
        case GlobalLayout::kNZ:
            return int64_t{shape[0]} * shape[1] * shape[4];
    }
    return 0;
}

int64_t GlobalView::matrix_offset(int64_t row, int64_t col) const {
    switch (layout) {
        case GlobalLayout::kND:
            return col * stride[4] + row % shape[3] * stride[3] +
                   row / shape[3] % shape[2] * stride[2] +
                   row / (int64_t{shape[3]} * shape[2]) % shape[1] * stride[1] +
                   row / (int64_t{shape[3]} * shape[2] * shape[1]) * stride[0];
        case GlobalLayout::kDN:
            return row * stride[3] + col % shape[4] * stride[4] +
                   col / shape[4] % shape[2] * stride[2] +
                   col / (int64_t{shape[4]} * shape[2]) % shape[1] * stride[1] +
                   col / (int64_t{shape[4]} * shape[2] * shape[1]) * stride[0];
        case GlobalLayout::kNZ:
            return row / shape[3] * stride[2] + row % shape[3] * stride[3] +
                   col % shape[4] * stride[4] + col / shape[4] % shape[1] * stride[1] +
                   col / (int64_t{shape[4]} * shape[1]) * stride[0];
    }
    return 0;
}

std::string to_text(const GlobalView& view) {
    auto list = [](const auto& values) {
        std::string text = "[";
        for (size_t i = 0; i < values.size(); ++i) {
            if (i > 0) text += ',';
            text += std::to_string(values[i]);
        }
        return text + "]";
    };
    std::string text{name(view.dtype)};
    text += ' ' + list(view.shape) + " strides " + list(view.stride) + ' ';
    text += name(view.layout);
    return text;
}

}  // namespace ptosim
