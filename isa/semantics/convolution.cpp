// Copies between the layouts of convolutions.
#include "isa/semantics/convolution.h"

#include "isa/semantics/lanes.h"

namespace ptosim::semantics {

namespace {

// Position of an element, independent of the layout.
struct AxisPosition {
    int64_t group = 0, image = 0, channel = 0, depth = 0, height = 0, width = 0;
};

void add_to(AxisPosition& position, char axis, int64_t index, ConvBlocks blocks) {
    switch (axis) {
        case 'g':
            position.group += index;
            break;
        case 'n':
        case 'o':
            position.image += index;
            break;
        case 'N':
            position.image += index * blocks.filters;
            break;
        case 'c':
        case '0':
            position.channel += index;
            break;
        case 'C':
            position.channel += index * blocks.channels;
            break;
        case 'd':
            position.depth += index;
            break;
        case 'h':
            position.height += index;
            break;
        default:
            position.width += index;
            break;
    }
}

int64_t index_along(const AxisPosition& position, char axis, ConvBlocks blocks) {
    switch (axis) {
        case 'g':
            return position.group;
        case 'n':
            return position.image;
        case 'N':
            return position.image / blocks.filters;
        case 'o':
            return position.image % blocks.filters;
        case 'c':
            return position.channel;
        case 'C':
            return position.channel / blocks.channels;
        case '0':
            return position.channel % blocks.channels;
        case 'd':
            return position.depth;
        case 'h':
            return position.height;
        default:
            return position.width;
    }
}

enum class Found : uint8_t { kThere, kNoChannel, kNoFilter };

Found locate(const AxisPosition& position, std::span<const ConvAxis> from, ConvBlocks blocks,
             int64_t& offset) {
    offset = 0;
    Found found = Found::kThere;
    for (const ConvAxis& axis : from) {
        const int64_t index = index_along(position, axis.axis, blocks);
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
        AxisPosition position;
        int64_t at = 0;
        for (size_t i = 0; i < to.size(); ++i) {
            add_to(position, to[i].axis, index[i], blocks);
            at += index[i] * to[i].stride;
        }
        int64_t offset = 0;
        const Found found = locate(position, from, blocks, offset);
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
    const ConvShape& shape = e.instruction.attributes.convolution().dst;
    if (!shape.given()) return false;
    const GlobalView& view = e.global(1);
    const int c0 = c0_of(view.dtype);
    const size_t size = bits(view.dtype) / 8;
    const ConvBlocks blocks{c0};
    const auto to = conv_axes(shape, conv_shape(view), blocks, false);
    const auto from = conv_axes(view, c0);
    if (from.empty() || shape.layout == view.layout) {
        // Equal layouts: copies dimension by dimension, independent of their names.
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
    if (!modes.convolution().dst.given()) return false;
    const DType type = e.tile(0).dtype;
    const ConvBlocks blocks = conv_blocks(modes.convolution().dst, modes.convolution().src, c0_of(type));
    std::vector<ConvAxis> from = conv_axes(modes.convolution().src, modes.convolution().dst, blocks, true);
    const auto stored =
        conv_axes(as_stored(modes.convolution().src, modes.convolution().dst), modes.convolution().dst, blocks, true);
    for (size_t i = 0; i < from.size(); ++i) from[i].stride = stored[i].stride;
    copy_convolution(bits(type) / 8, e.bytes[0],
                     conv_axes(modes.convolution().dst, modes.convolution().src, blocks, true), e.bytes[1], from,
                     blocks, true);
    return true;
}

}  // namespace ptosim::semantics
