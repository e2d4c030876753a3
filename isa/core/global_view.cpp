#include "isa/core/global_view.h"

#include <algorithm>

#include "isa/core/checked.h"
#include "isa/core/view_span.h"

namespace ptosim {

namespace {

// The dimensions that form a matrix's rows and columns, outermost first; -1 ends a list.
struct LayoutInfo {
    std::string_view name;
    std::array<int8_t, 5> rows;
    std::array<int8_t, 5> cols;
};

constexpr std::array<LayoutInfo, static_cast<size_t>(GlobalLayout::kCount)> kLayouts{{
    {"ND", {0, 1, 2, 3, -1}, {4, -1}},
    {"DN", {3, -1}, {0, 1, 2, 4, -1}},
    {"NZ", {2, 3, -1}, {0, 1, 4, -1}},
    {"SCALE", {0, 1, 2, 3, -1}, {4, -1}},
    {"MX_A_ND", {0, 1, 2, -1}, {3, 4, -1}},
    {"MX_A_DN", {3, -1}, {0, 1, 2, 4, -1}},
    {"MX_A_ZZ", {0, 1, 3, -1}, {2, 4, -1}},
    {"MX_B_ND", {0, 1, 2, 4, -1}, {3, -1}},
    {"MX_B_DN", {3, 4, -1}, {0, 1, 2, -1}},
    {"MX_B_NN", {2, 4, -1}, {0, 1, 3, -1}},
    {"HIF4_A_ZZ", {0, 1, 3, -1}, {2, 4, -1}},
    {"HIF4_B_NN", {2, 4, -1}, {0, 1, 3, -1}},
    {"NC1HWC0", {0, 2, 3, -1}, {1, 4, -1}},
    {"GNC1HWC0", {0, 1, 2, 3, -1}, {4, -1}},
    {"NCHW", {0, 1, 3, 4, -1}, {2, -1}},
    {"GNCHW", {0, 1, 2, 3, -1}, {4, -1}},
    {"NHWC", {0, 1, 2, 3, -1}, {4, -1}},
    {"NDC1HWC0", {0, 3, 4, -1}, {1, 2, -1}},  // and c0 channels, which is no dimension
    {"NCDHW", {0, 2, 3, 4, -1}, {1, -1}},
    {"FRACTAL_Z", {0, 1, 2, 3, -1}, {4, -1}},
    {"FRACTAL_Z_S16S8", {0, 1, 2, 3, -1}, {4, -1}},
    {"FRACTAL_Z_3D", {0, 1, 2, 3, -1}, {4, -1}},
}};

const LayoutInfo& layout_info(GlobalLayout layout) { return kLayouts[static_cast<size_t>(layout)]; }

int64_t product(const GlobalView& view, const std::array<int8_t, 5>& dims) {
    int64_t count = 1;
    for (size_t i = 0; dims[i] >= 0; ++i)
        count = saturating_product(count, view.shape[static_cast<size_t>(dims[i])]);
    return count;
}

int64_t offset(const GlobalView& view, const std::array<int8_t, 5>& dims, int64_t position) {
    size_t last = 0;
    while (dims[last] >= 0) ++last;
    int64_t sum = 0;
    while (last-- > 0) {
        const auto dim = static_cast<size_t>(dims[last]);
        // The outermost one is not wrapped.
        const int64_t digit = last == 0 ? position : position % view.shape[dim];
        position /= view.shape[dim];
        sum += digit * view.stride[dim];
    }
    return sum;
}

}  // namespace

std::string_view name(GlobalLayout layout) { return layout_info(layout).name; }

std::optional<GlobalLayout> parse_global_layout(std::string_view word) {
    const auto upper = [](char c) { return c >= 'a' && c <= 'z' ? static_cast<char>(c - 32) : c; };
    for (size_t i = 0; i < kLayouts.size(); ++i) {
        const std::string_view name = kLayouts[i].name;
        if (std::equal(name.begin(), name.end(), word.begin(), word.end(),
                       [&](char a, char b) { return a == upper(b); }))
            return static_cast<GlobalLayout>(i);
    }
    return std::nullopt;
}

int64_t GlobalView::elements() const {
    if (*std::min_element(shape.begin(), shape.end()) <= 0) return 0;
    int64_t count = 1;
    for (int32_t extent : shape) count = saturating_product(count, extent);
    return count;
}

// A block has 32 bytes, but 16 elements if the step from one w to the next implies that: L0C stores 32-bit integers in
// blocks of 16.
int64_t GlobalView::block_channels() const {
    if (layout != GlobalLayout::kNDC1HWC0) return 1;
    const int64_t usual = 32 * 8 / bits(dtype);
    return usual == 8 && stride[4] == 16 ? 16 : usual;
}

std::optional<ViewSpan> span_of(const GlobalView& view) {
    if (view.elements() == 0) return ViewSpan{};
    // Offsets of the first and the last element. Five products of 2^31 and kMaxStride are below
    // 2^82.
    __extension__ typedef __int128 Wide;
    Wide first = 0, last = view.block_channels() - 1;
    for (int i = 0; i < GlobalView::kRank; ++i) {
        if (view.stride[i] > kMaxStride || view.stride[i] < -kMaxStride) return std::nullopt;
        const Wide reach = static_cast<Wide>(view.shape[i] - 1) * view.stride[i];
        (reach < 0 ? first : last) += reach;
    }
    const Wide width = bits(view.dtype);
    const Wide begin = -((-first * width + 7) / 8),
               end = ((last + 1) * width + 7) / 8;  // whole bytes
    constexpr auto kMost = static_cast<Wide>(kMaxViewBytes);
    if (begin < -kMost || end > kMost) return std::nullopt;
    return ViewSpan{static_cast<int64_t>(begin), static_cast<int64_t>(end)};
}

uint64_t GlobalView::span_bytes() const {
    const std::optional<ViewSpan> bytes = span_of(*this);
    return bytes ? static_cast<uint64_t>(bytes->end) : kMaxViewBytes;
}

int64_t GlobalView::matrix_rows() const { return product(*this, layout_info(layout).rows); }

int64_t GlobalView::matrix_cols() const {
    return product(*this, layout_info(layout).cols) * block_channels();
}

int64_t GlobalView::matrix_offset(int64_t row, int64_t col) const {
    const LayoutInfo& layouts = layout_info(layout);
    const int64_t inside = block_channels();
    return offset(*this, layouts.rows, row) + offset(*this, layouts.cols, col / inside) +
           col % inside;
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
