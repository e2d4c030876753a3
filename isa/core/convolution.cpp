#include "isa/core/convolution.h"

#include <algorithm>
#include <string_view>

#include "isa/numeric/round_up.h"

namespace ptosim {

namespace {

// "*": the dimensions that a fractal filter merges into its first one.
std::string_view axes_of(GlobalLayout layout, size_t dims) {
    switch (layout) {
        case GlobalLayout::kNC1HWC0:
            return "nChw0";
        case GlobalLayout::kGNC1HWC0:
            return "gnChw0";
        case GlobalLayout::kNCHW:
            return "nchw";
        case GlobalLayout::kGNCHW:
            return "gnchw";
        case GlobalLayout::kNHWC:
            return "nhwc";
        case GlobalLayout::kNDC1HWC0:
            return "ndChw0";
        case GlobalLayout::kNCDHW:
            return "ncdhw";
        case GlobalLayout::kFractalZ:
            return dims == 5 ? "Chwn0" : "*No0";
        case GlobalLayout::kFractalZ3D:
            return "*No0";
        default:
            return "";
    }
}

int32_t extent_of(const ConvShape& shape, char axis) {
    const size_t dims = static_cast<size_t>(std::find(shape.dims.begin(), shape.dims.end(), 0) -
                                            shape.dims.begin());
    const std::string_view axes = axes_of(shape.layout, dims);
    const size_t at = axes.find(axis);
    return at == std::string_view::npos || at >= dims ? 1 : shape.dims[at];
}

int windows(int extent, int before, int after, int filter, int dilation, int stride) {
    if (stride <= 0) return 0;
    const int room = extent + before + after - dilation * (filter - 1) - 1;
    return room < 0 ? 0 : room / stride + 1;
}

}  // namespace

int64_t ConvShape::elements() const {
    int64_t count = dims[0];
    for (size_t i = 1; i < dims.size() && dims[i] != 0; ++i) count *= dims[i];
    return count;
}

int Image::out_height() const {
    return windows(height, pad_top, pad_bottom, filter_height, dilation_height, stride_height);
}
int Image::out_width() const {
    return windows(width, pad_left, pad_right, filter_width, dilation_width, stride_width);
}

int64_t Image::target_rows(const Tile& dst) const {
    const int64_t rows =
        dst_position * int64_t{16} + int64_t{repeat_mode == 0 ? repeat_time : 1} * dst.valid_rows;
    const int64_t cols = int64_t{repeat_mode != 0 ? repeat_time : 1} * dst.valid_cols;
    return transpose ? cols : rows;
}

int64_t Image::target_cols(const Tile& dst) const {
    Image turned = *this;
    turned.transpose = !transpose;
    return turned.target_rows(dst);
}

Tile Image::target(const Tile& dst) const {
    Tile tile = dst;
    if (transpose) {
        tile.rows = round_up(dst.cols, tile.box_rows());
        tile.cols = round_up(dst.rows, tile.box_cols());
        set_dense_pitch(tile);
    }
    if (dst_stride != 0 && tile.outer == OuterLayout::kColMajor) tile.pitch = dst_stride * 16;
    return tile;
}

ConvShape as_stored(const ConvShape& source, const ConvShape& target) {
    ConvShape stored = source;
    if (source.layout == GlobalLayout::kGNC1HWC0 && target.layout == GlobalLayout::kFractalZ &&
        target.dims[4] == 0)
        stored.dims[1] = target.dims[1] * target.dims[2];
    return stored;
}

ConvBlocks conv_blocks(const ConvShape& shape, const ConvShape& other, int channels) {
    ConvBlocks blocks{channels};
    // `other` first: the first shape decides where both have blocks.
    for (const ConvShape* one : {&other, &shape}) {
        const size_t dims = static_cast<size_t>(std::find(one->dims.begin(), one->dims.end(), 0) -
                                                one->dims.begin());
        const std::string_view axes = axes_of(one->layout, dims);
        if (axes.size() != dims) continue;
        if (axes.ends_with('0')) blocks.channels = one->dims[dims - 1];
        if (const size_t at = axes.find('o'); at != axes.npos) blocks.filters = one->dims[at];
    }
    return blocks;
}

std::vector<ConvAxis> conv_axes(const ConvShape& shape, const ConvShape& other, ConvBlocks blocks,
                                bool depth_outside) {
    const size_t dims = static_cast<size_t>(std::find(shape.dims.begin(), shape.dims.end(), 0) -
                                            shape.dims.begin());
    const std::string_view axes = axes_of(shape.layout, dims);
    std::vector<ConvAxis> list;
    if (axes.empty() || axes.size() != dims) return list;
    for (size_t i = 0; i < dims; ++i) {
        if (shape.dims[i] < 0) return {};
        if (axes[i] != '*') {
            list.push_back({axes[i], shape.dims[i], 0});
            continue;
        }
        const int32_t groups = extent_of(other, 'g'), depth = extent_of(other, 'd'),
                      height = extent_of(other, 'h'), width = extent_of(other, 'w');
        const int64_t rest = int64_t{groups} * depth * height * width;
        if (rest <= 0 || shape.dims[i] % rest != 0) return {};
        const ConvAxis channels{'C', static_cast<int32_t>(shape.dims[i] / rest), 0};
        list.push_back({'g', groups, 0});
        if (!depth_outside) list.push_back(channels);
        list.push_back({'d', depth, 0});
        if (depth_outside) list.push_back(channels);
        list.push_back({'h', height, 0});
        list.push_back({'w', width, 0});
    }
    int64_t stride = 1;
    for (size_t i = list.size(); i-- > 0;) {
        list[i].stride = stride;
        stride *= list[i].extent;
        if ((list[i].axis == '0' && list[i].extent != blocks.channels) ||
            (list[i].axis == 'o' && list[i].extent != blocks.filters))
            return {};
    }
    return list;
}

ConvShape conv_shape(const GlobalView& view) {
    ConvShape shape{view.layout, {}};
    // NCHW and NHWC leave the first dimension of a view at 1, fractals of four dimensions too.
    size_t first = 0;
    const bool four =
        view.layout == GlobalLayout::kNCHW || view.layout == GlobalLayout::kNHWC ||
        view.layout == GlobalLayout::kFractalZ3D ||
        (view.layout == GlobalLayout::kFractalZ && view.shape[0] == 1 && view.shape[3] == 16);
    if (four) first = 1;
    for (size_t i = first; i < GlobalView::kRank; ++i) shape.dims[i - first] = view.shape[i];
    return shape;
}

std::vector<ConvAxis> conv_axes(const GlobalView& view, int c0) {
    const ConvShape shape = conv_shape(view);
    const size_t dims = static_cast<size_t>(std::find(shape.dims.begin(), shape.dims.end(), 0) -
                                            shape.dims.begin());
    std::string_view axes = axes_of(shape.layout, dims);
    std::vector<ConvAxis> list;
    if (view.layout == GlobalLayout::kNDC1HWC0) axes.remove_suffix(1);
    if (axes.empty() || axes.size() != dims || axes[0] == '*') return list;
    const size_t first = GlobalView::kRank - dims;
    for (size_t i = 0; i < dims; ++i)
        list.push_back({axes[i], shape.dims[i], view.stride[first + i]});
    if (view.layout == GlobalLayout::kNDC1HWC0) list.push_back({'0', c0, 1});
    return list;
}

}  // namespace ptosim
