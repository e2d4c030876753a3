#include "sim/native/kernel_attributes.h"

#include <array>

#include "isa/core/arch.h"

namespace ptosim {
namespace {

using Set = bool (*)(Attributes& attributes, int32_t value, Arch arch);

// The field Path_ of Attributes takes the value, converted to its type.
template <auto Path_>
bool take(Attributes& attributes, int32_t value, Arch) {
    auto& field = attributes.*Path_;
    using Field = std::remove_reference_t<decltype(field)>;
    if constexpr (std::is_same_v<Field, bool>)
        field = value != 0;
    else if constexpr (std::is_enum_v<Field>)
        field = static_cast<Field>(static_cast<std::underlying_type_t<Field>>(value));
    else
        field = static_cast<Field>(value);
    return true;
}
template <auto Path_>
bool take_pipe(Attributes& attributes, int32_t value, Arch) {
    if (value < 0 || value > PTOSIM_PIPE_ALL) return false;
    attributes.*Path_ = static_cast<Pipe>(value);
    return true;
}
template <auto Path_>
bool take_image(Attributes& attributes, int32_t value, Arch) {
    auto& field = attributes.image.*Path_;
    field = static_cast<std::remove_reference_t<decltype(field)>>(value);
    return true;
}
template <auto Shape_>
bool take_conv_layout(Attributes& attributes, int32_t value, Arch) {
    if (value < 0 || value >= static_cast<int32_t>(GlobalLayout::kCount)) return false;
    (attributes.*Shape_).layout = static_cast<GlobalLayout>(value);
    return true;
}
template <auto Shape_, size_t Dim_>
bool take_conv_dim(Attributes& attributes, int32_t value, Arch) {
    (attributes.*Shape_).dims[Dim_] = value;
    return true;
}

bool take_saturation(Attributes& attributes, int32_t value, Arch) {
    attributes.saturation = static_cast<Saturation>(value);
    attributes.saturation_given = true;
    return true;
}
bool take_group_axis(Attributes& attributes, int32_t value, Arch) {
    attributes.group_rows = value == 0;
    return true;
}
bool take_event(Attributes& attributes, int32_t value, Arch) {
    attributes.event_id = static_cast<uint8_t>(value < 0 || value > 255 ? 255 : value);
    return true;
}
bool take_factor_rounding(Attributes& attributes, int32_t value, Arch arch) {
    using enum FactorRounding;
    if (value < 0 || value > 2) return false;
    constexpr std::array kTf32{kNone, kTf32Away, kTf32Even};
    constexpr std::array kHf32{kNone, kHf32Away, kHf32Even};
    attributes.factor_rounding = (traits_of(arch).rounded_factors == RoundedFactors::kTf32
                                      ? kTf32
                                      : kHf32)[static_cast<size_t>(value)];
    return true;
}

struct Row {
    ptosim_attribute_key key;
    Set set;
};
using A = Attributes;
constexpr Row kRows[] = {
    {PTOSIM_ATTR_ROUND, take<&A::round>},
    {PTOSIM_ATTR_SATURATION, take_saturation},
    {PTOSIM_ATTR_COMPARE, take<&A::compare>},
    {PTOSIM_ATTR_RELU, take<&A::relu>},
    {PTOSIM_ATTR_ATOMIC, take<&A::atomic>},
    {PTOSIM_ATTR_PHASE, take<&A::phase>},
    {PTOSIM_ATTR_ACC_TO_VEC, take<&A::acc_to_vec>},
    {PTOSIM_ATTR_QUANT, take<&A::quant>},
    {PTOSIM_ATTR_MASK_PATTERN, take<&A::mask_pattern>},
    {PTOSIM_ATTR_BYTE_SELECT, take<&A::byte_select>},
    {PTOSIM_ATTR_ROUNDS, take<&A::rounds>},
    {PTOSIM_ATTR_DESCENDING, take<&A::descending>},
    {PTOSIM_ATTR_BINARY_TREE, take<&A::binary_tree>},
    {PTOSIM_ATTR_EXHAUSTED, take<&A::exhausted>},
    {PTOSIM_ATTR_UPPER, take<&A::upper>},
    {PTOSIM_ATTR_HIGH_PRECISION, take<&A::high_precision>},
    {PTOSIM_ATTR_OUT_OF_BOUNDS, take<&A::out_of_bounds>},
    {PTOSIM_ATTR_BY_ELEMENT, take<&A::by_element>},
    {PTOSIM_ATTR_NVIDIA_SCALE, take<&A::nvidia_scale>},
    {PTOSIM_ATTR_GROUP_ROWS, take<&A::group_rows>},
    {PTOSIM_ATTR_INTERLEAVE, take<&A::interleave>},
    {PTOSIM_ATTR_INDEX_OFFSET, take<&A::index_offset>},
    {PTOSIM_ATTR_SOURCE_PIPE, take_pipe<&A::source_pipe>},
    {PTOSIM_ATTR_DESTINATION_PIPE, take_pipe<&A::destination_pipe>},
    {PTOSIM_ATTR_EVENT, take_event},
    {PTOSIM_ATTR_CROSS_MODE, take<&A::cross_mode>},
    {PTOSIM_ATTR_TF32, take_factor_rounding},
    {PTOSIM_ATTR_SPLIT, take<&A::insert_split>},
    {PTOSIM_ATTR_GROUP_AXIS, take_group_axis},
    {PTOSIM_ATTR_BUFFER_MODE, take<&A::buffer_mode>},
    {PTOSIM_ATTR_ALONG_ROWS, take<&A::along_rows>},
    {PTOSIM_ATTR_BEYOND_VIEW, take<&A::beyond_view>},
    {PTOSIM_ATTR_FMAP_H, take_image<&Image::height>},
    {PTOSIM_ATTR_FMAP_W, take_image<&Image::width>},
    {PTOSIM_ATTR_PAD_LEFT, take_image<&Image::pad_left>},
    {PTOSIM_ATTR_PAD_RIGHT, take_image<&Image::pad_right>},
    {PTOSIM_ATTR_PAD_TOP, take_image<&Image::pad_top>},
    {PTOSIM_ATTR_PAD_BOTTOM, take_image<&Image::pad_bottom>},
    {PTOSIM_ATTR_PAD_BITS, take_image<&Image::pad_value>},
    {PTOSIM_ATTR_FILTER_H, take_image<&Image::filter_height>},
    {PTOSIM_ATTR_FILTER_W, take_image<&Image::filter_width>},
    {PTOSIM_ATTR_DILATION_H, take_image<&Image::dilation_height>},
    {PTOSIM_ATTR_DILATION_W, take_image<&Image::dilation_width>},
    {PTOSIM_ATTR_STRIDE_H, take_image<&Image::stride_height>},
    {PTOSIM_ATTR_STRIDE_W, take_image<&Image::stride_width>},
    {PTOSIM_ATTR_CHANNELS, take_image<&Image::channels>},
    {PTOSIM_ATTR_TRANSPOSE, take_image<&Image::transpose>},
    {PTOSIM_ATTR_REPEAT_STRIDE, take_image<&Image::repeat_stride>},
    {PTOSIM_ATTR_REPEAT_TIME, take_image<&Image::repeat_time>},
    {PTOSIM_ATTR_REPEAT_MODE, take_image<&Image::repeat_mode>},
    {PTOSIM_ATTR_IMAGE_DST_STRIDE, take_image<&Image::dst_stride>},
    {PTOSIM_ATTR_IMAGE_DST_POSITION, take_image<&Image::dst_position>},
    {PTOSIM_ATTR_IMAGE_REGISTERS, take_image<&Image::registers>},
    {PTOSIM_ATTR_CONV_SRC_LAYOUT, take_conv_layout<&A::conv_src>},
    {PTOSIM_ATTR_CONV_SRC_DIM_0, take_conv_dim<&A::conv_src, 0>},
    {PTOSIM_ATTR_CONV_SRC_DIM_1, take_conv_dim<&A::conv_src, 1>},
    {PTOSIM_ATTR_CONV_SRC_DIM_2, take_conv_dim<&A::conv_src, 2>},
    {PTOSIM_ATTR_CONV_SRC_DIM_3, take_conv_dim<&A::conv_src, 3>},
    {PTOSIM_ATTR_CONV_SRC_DIM_4, take_conv_dim<&A::conv_src, 4>},
    {PTOSIM_ATTR_CONV_SRC_DIM_5, take_conv_dim<&A::conv_src, 5>},
    {PTOSIM_ATTR_CONV_DST_LAYOUT, take_conv_layout<&A::conv_dst>},
    {PTOSIM_ATTR_CONV_DST_DIM_0, take_conv_dim<&A::conv_dst, 0>},
    {PTOSIM_ATTR_CONV_DST_DIM_1, take_conv_dim<&A::conv_dst, 1>},
    {PTOSIM_ATTR_CONV_DST_DIM_2, take_conv_dim<&A::conv_dst, 2>},
    {PTOSIM_ATTR_CONV_DST_DIM_3, take_conv_dim<&A::conv_dst, 3>},
    {PTOSIM_ATTR_CONV_DST_DIM_4, take_conv_dim<&A::conv_dst, 4>},
    {PTOSIM_ATTR_CONV_DST_DIM_5, take_conv_dim<&A::conv_dst, 5>},
};

constexpr size_t kKeys = PTOSIM_ATTR_CONV_DST_DIM_5 + 1;
constexpr auto kSetters = [] {
    std::array<Set, kKeys> result{};
    for (const Row& row : kRows) result[row.key] = row.set;
    return result;
}();

}  // namespace

bool set_attribute(Attributes& attributes, const ptosim_attribute& attribute, Arch arch) {
    const Set set = attribute.key < kKeys ? kSetters[attribute.key] : nullptr;
    return set != nullptr && set(attributes, attribute.value, arch);
}

}  // namespace ptosim
