// Convolution: unfolding an image into the left factor of a matrix product.
#pragma once

#include "pto/instructions/operation.hpp"

namespace pto {

namespace detail {

// The registers that SETFMATRIX and its like set: two of the first kind.
struct ImageRegisters {
    Convolution image[2];
    uint32_t pad_bits = 0;
};
inline ImageRegisters& image_registers() {
    static ImageRegisters registers;
    return registers;
}
constexpr bool is_second(SetFmatrixMode mode) {
    return mode == SetFmatrixMode::FMATRIX_B_AUTO || mode == SetFmatrixMode::FMATRIX_B_MANUAL;
}
constexpr bool is_manual(SetFmatrixMode mode) {
    return mode == SetFmatrixMode::FMATRIX_A_MANUAL || mode == SetFmatrixMode::FMATRIX_B_MANUAL;
}

}  // namespace detail

template <typename Image, SetFmatrixMode Mode_ = SetFmatrixMode::FMATRIX_A_MANUAL>
RecordEvent SETFMATRIX(Image& src, PTO_DETAIL_EVENTS) {
    PTO_DETAIL_WAIT;
    detail::image_registers().image[detail::is_second(Mode_)] = src.convolution;
    ptosim_scalar_work(4);
    return {where};
}
template <typename Image, SetFmatrixMode Mode_ = SetFmatrixMode::FMATRIX_A_MANUAL>
RecordEvent SET_IMG2COL_RPT(Image&, PTO_DETAIL_EVENTS) {
    PTO_DETAIL_WAIT;
    ptosim_scalar_work(4);
    return {where};
}
template <typename Image, SetFmatrixMode Mode_ = SetFmatrixMode::FMATRIX_A_MANUAL>
RecordEvent SET_IMG2COL_PADDING(Image& src, PTO_DETAIL_EVENTS) {
    PTO_DETAIL_WAIT;
    detail::image_registers().pad_bits = static_cast<uint32_t>(detail::to_bits(src.GetPadValue()));
    ptosim_scalar_work(4);
    return {where};
}

// dst = rows posM.. and columns posK.. of the matrix whose rows are the windows of the image.
template <typename Data, typename Image, SetFmatrixMode Mode_ = SetFmatrixMode::FMATRIX_A_MANUAL>
RecordEvent TIMG2COL(Data& dst, Image& src, uint16_t posM = 0, uint16_t posK = 0,
                     PTO_DETAIL_EVENTS) {
    static_assert(is_conv_tile_v<Image> && Image::Loc == TileType::Mat,
                  "PTO: TIMG2COL reads a ConvTile of L1");
    static_assert(Data::Loc == TileType::Left, "PTO: TIMG2COL writes a tile of L0A");
    PTO_DETAIL_WAIT;
    if (!detail::is_manual(Mode_)) {
        SETFMATRIX<Image, Mode_>(src);
        SET_IMG2COL_PADDING<Image, Mode_>(src);
    }
    const detail::Convolution& set = detail::image_registers().image[detail::is_second(Mode_)];
    const detail::Convolution& own = src.convolution;
    using detail::attribute;
    return detail::record_issue(
        PTO_DETAIL_OPCODE(TIMG2COL), where,
        {detail::operand(dst), detail::operand(src), detail::scalar(uint32_t{posM}),
         detail::scalar(uint32_t{posK})},
        {attribute(PTOSIM_ATTR_FMAP_H, set.fmap_h), attribute(PTOSIM_ATTR_FMAP_W, set.fmap_w),
         attribute(PTOSIM_ATTR_PAD_LEFT, set.pad[0]), attribute(PTOSIM_ATTR_PAD_RIGHT, set.pad[1]),
         attribute(PTOSIM_ATTR_PAD_TOP, set.pad[2]), attribute(PTOSIM_ATTR_PAD_BOTTOM, set.pad[3]),
         attribute(PTOSIM_ATTR_PAD_BITS, detail::image_registers().pad_bits),
         attribute(PTOSIM_ATTR_FILTER_H, own.filter_h),
         attribute(PTOSIM_ATTR_FILTER_W, own.filter_w),
         attribute(PTOSIM_ATTR_DILATION_H, own.dilation_h),
         attribute(PTOSIM_ATTR_DILATION_W, own.dilation_w),
         attribute(PTOSIM_ATTR_STRIDE_H, own.stride_h),
         attribute(PTOSIM_ATTR_STRIDE_W, own.stride_w),
         attribute(PTOSIM_ATTR_CHANNELS, own.channels),
         attribute(PTOSIM_ATTR_TRANSPOSE, own.transpose)});
}

}  // namespace pto
