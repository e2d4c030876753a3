// Convolutions: windows of a feature map as rows of a matrix, and changes of layout.
#include "isa/semantics/convolution.h"

#include "isa/semantics/lanes.h"

namespace ptosim::semantics {

namespace {

// Where an element is, whatever the layout.
struct Place {
    int64_t group = 0, image = 0, channel = 0, depth = 0, height = 0, width = 0;
};

void add_to(Place& place, char axis, int64_t index, ConvBlocks blocks) {
    switch (axis) {
        case 'g':
            place.group += index;
            break;
        case 'n':
        case 'o':
            place.image += index;
            break;
        case 'N':
            place.image += index * blocks.filters;
            break;
        case 'c':
        case '0':
            place.channel += index;
            break;
        case 'C':
            place.channel += index * blocks.channels;
            break;
        case 'd':
            place.depth += index;
            break;
        case 'h':
            place.height += index;
            break;
        default:
            place.width += index;
            break;
    }
}

int64_t index_along(const Place& place, char axis, ConvBlocks blocks) {
    switch (axis) {
        case 'g':
            return place.group;
        case 'n':
            return place.image;
        case 'N':
            return place.image / blocks.filters;
        case 'o':
            return place.image % blocks.filters;
        case 'c':
            return place.channel;
        case 'C':
            return place.channel / blocks.channels;
        case '0':
            return place.channel % blocks.channels;
        case 'd':
            return place.depth;
        case 'h':
            return place.height;
        default:
            return place.width;
    }
}

enum class Found : uint8_t { kThere, kNoChannel, kNoFilter };

Found locate(const Place& place, std::span<const ConvAxis> from, ConvBlocks blocks,
             int64_t& offset) {
    offset = 0;
    Found found = Found::kThere;
    for (const ConvAxis& axis : from) {
        const int64_t index = index_along(place, axis.axis, blocks);
        if (index >= axis.extent) {
            const bool filter = axis.axis == 'n' || axis.axis == 'N';
            if (filter) return Found::kNoFilter;
            found = Found::kNoChannel;
        }
        offset += index * axis.stride;
    }
    return found;
}

template <typename T>
void copy_typed(std::byte* target, std::span<const ConvAxis> to, const std::byte* source,
                std::span<const ConvAxis> from, ConvBlocks blocks, bool clear_filters) {
    std::array<int32_t, 10> index{};
    const size_t last = to.size() - 1;
    for (;;) {
        Place place;
        int64_t at = 0;
        for (size_t i = 0; i < to.size(); ++i) {
            add_to(place, to[i].axis, index[i], blocks);
            at += index[i] * to[i].stride;
        }
        int64_t offset = 0;
        const Found found = locate(place, from, blocks, offset);
        constexpr auto kSize = static_cast<int64_t>(sizeof(T));
        if (found == Found::kThere)
            store(target + at * kSize, load<T>(source + offset * kSize));
        else if (found == Found::kNoChannel || clear_filters)
            store(target + at * kSize, T{0});
        size_t i = last;
        while (++index[i] == to[i].extent) {
            index[i] = 0;
            if (i-- == 0) return;
        }
    }
}

int c0_of(DType type) { return static_cast<int>(32 * 8 / bits(type)); }

}  // namespace

void copy_convolution(size_t size, std::byte* target, std::span<const ConvAxis> to,
                      const std::byte* source, std::span<const ConvAxis> from, ConvBlocks blocks,
                      bool clear_filters) {
    for (const ConvAxis& axis : to)
        if (axis.extent == 0) return;
    switch (size) {
        case 1:
            return copy_typed<uint8_t>(target, to, source, from, blocks, clear_filters);
        case 2:
            return copy_typed<uint16_t>(target, to, source, from, blocks, clear_filters);
        case 4:
            return copy_typed<uint32_t>(target, to, source, from, blocks, clear_filters);
        default:
            return copy_typed<uint64_t>(target, to, source, from, blocks, clear_filters);
    }
}

bool load_convolution(const Execution& e) {
    const ConvShape& shape = e.instruction.attributes.conv_dst;
    if (!shape.given()) return false;
    const GlobalView& view = e.global(1);
    const int c0 = c0_of(view.dtype);
    const size_t size = bits(view.dtype) / 8;
    const ConvBlocks blocks{c0};
    const auto to = conv_axes(shape, conv_shape(view), blocks, false);
    const auto from = conv_axes(view, c0);
    if (from.empty() || shape.layout == view.layout) {
        // One layout: dimension by dimension, whatever they are called.
        std::vector<ConvAxis> same_to, same_from;
        int64_t stride = 1;
        size_t dims = 0;
        while (dims < shape.dims.size() && shape.dims[dims] != 0) ++dims;
        const size_t first = GlobalView::kRank - std::min<size_t>(dims, GlobalView::kRank);
        const bool implied = view.layout == GlobalLayout::kNDC1HWC0;
        static constexpr char kAxes[] = {'g', 'n', 'c', 'd', 'h', 'w'};
        for (size_t i = dims; i-- > 0;) {
            const int64_t from_stride =
                implied ? (i == dims - 1 ? 1 : view.stride[i]) : view.stride[first + i];
            same_to.insert(same_to.begin(), {kAxes[i], shape.dims[i], stride});
            same_from.insert(same_from.begin(), {kAxes[i], shape.dims[i], from_stride});
            stride *= shape.dims[i];
        }
        copy_convolution(size, e.bytes[0], same_to, e.bytes[1], same_from, blocks, false);
        return true;
    }
    copy_convolution(size, e.bytes[0], to, e.bytes[1], from, blocks, false);
    return true;
}

bool transpose_convolution(const Execution& e) {
    const Attributes& modes = e.instruction.attributes;
    if (!modes.conv_dst.given()) return false;
    const DType type = e.tile(0).dtype;
    const ConvBlocks blocks = conv_blocks(modes.conv_dst, modes.conv_src, c0_of(type));
    std::vector<ConvAxis> from = conv_axes(modes.conv_src, modes.conv_dst, blocks, true);
    const auto stored =
        conv_axes(as_stored(modes.conv_src, modes.conv_dst), modes.conv_dst, blocks, true);
    for (size_t i = 0; i < from.size(); ++i) from[i].stride = stored[i].stride;
    copy_convolution(bits(type) / 8, e.bytes[0],
                     conv_axes(modes.conv_dst, modes.conv_src, blocks, true), e.bytes[1], from,
                     blocks, true);
    return true;
}

namespace {

// The matrix of all windows; elements are where they are in the feature map, or the padding value.
class Windows {
 public:
    Windows(const Image& image, const Tile& map)
        : image_{image},
          map_{map},
          c0_{map.cols},
          blocks_{std::max<int64_t>(1, (image.channels + c0_ - 1) / c0_)},
          area_{int64_t{image.height} * image.width},
          images_{map.rows / (blocks_ * area_)},
          windows_{int64_t{image.out_height()} * image.out_width()},
          places_{int64_t{image.filter_height} * image.filter_width} {}

    template <typename T>
    T element(const std::byte* base, int64_t m, int64_t k) const {
        const int64_t n = m / windows_;
        const int64_t window = m % windows_;
        const int64_t block = k / (c0_ * places_);
        const int64_t place = k / c0_ % places_;
        const int64_t y = window / image_.out_width() * image_.stride_height - image_.pad_top +
                          place / image_.filter_width * image_.dilation_height;
        const int64_t x = window % image_.out_width() * image_.stride_width - image_.pad_left +
                          place % image_.filter_width * image_.dilation_width;
        const bool inside = n < images_ && block < blocks_ && y >= 0 && y < image_.height &&
                            x >= 0 && x < image_.width;
        if (!inside) return static_cast<T>(image_.pad_value);
        const int64_t line = (n * blocks_ + block) * area_ + y * image_.width + x;
        return read_lane<T>(map_, base, static_cast<int>(line), static_cast<int>(k % c0_));
    }

 private:
    const Image& image_;
    const Tile& map_;
    int64_t c0_, blocks_, area_, images_, windows_, places_;
};

}  // namespace

// Operands (dst, src, posM, posK). Row posM + i of the matrix is a window: images one after the
// other, in each the windows by rows. Column posK + j is a place in the window: block of c0
// channels, then row and column of the filter, then channel. What lies beside the feature map, or
// beyond its channels and images, is the padding value. Repetitions start further down or to the
// right in the matrix and go below or beside one another.
// (hw-native-sys/pto-isa docs/isa/TIMG2COL.md, include/pto/cpu/TImg2col.hpp; of repetition,
// position and transposition: CANN's AscendC API, SetLoadDataRepeat and LoadData Load3Dv2.)
void TIMG2COL(const Execution& e) {
    const Image& image = e.instruction.attributes.image;
    const Tile& given = e.tile(0);
    const Tile to = image.target(given);
    const Windows windows(image, e.tile(1));
    const int64_t pos_m = integer_of(e.scalar(2));
    const int64_t pos_k = integer_of(e.scalar(3));
    const bool along_k = image.repeat_mode != 0;
    const int64_t step = int64_t{image.repeat_stride} * (along_k ? e.tile(1).cols : 16);
    visit_bits(to.dtype, [&](auto type) {
        using T = decltype(type);
        for (int time = 0; time < image.repeat_time; ++time) {
            const int64_t m = pos_m + (along_k ? 0 : time * step);
            const int64_t k = pos_k + (along_k ? time * step : 0);
            const int first_row = along_k ? 0 : time * given.valid_rows;
            const int first_col = along_k ? time * given.valid_cols : 0;
            for (int row = 0; row < given.valid_rows; ++row)
                for (int col = 0; col < given.valid_cols; ++col) {
                    const T value = windows.element<T>(e.bytes[1], m + row, k + col);
                    int at[2] = {image.dst_position * 16 + first_row + row, first_col + col};
                    if (image.transpose) std::swap(at[0], at[1]);
                    write_lane(to, e.bytes[0], at[0], at[1], value);
                }
        }
    });
}

}  // namespace ptosim::semantics
