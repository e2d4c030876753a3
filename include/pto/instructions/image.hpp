// Convolution: unfolding an image into the left factor of a matrix product.
#pragma once

#include "pto/instructions/operation.hpp"

namespace pto {

namespace ptosim_detail {

// Register set A or B of the core.
constexpr int image_registers(SetFmatrixMode mode) {
    return mode == SetFmatrixMode::FMATRIX_B_AUTO || mode == SetFmatrixMode::FMATRIX_B_MANUAL ? 2
                                                                                              : 1;
}
constexpr bool is_manual(SetFmatrixMode mode) {
    return mode == SetFmatrixMode::FMATRIX_A_MANUAL || mode == SetFmatrixMode::FMATRIX_B_MANUAL;
}

template <class Image>
RecordEvent image_issue(Opcode opcode, Image& src, int registers, const ptosim_operand* operands,
                        size_t operand_count, ptosim_location where) {
    const Convolution& c = src.convolution;
    const ptosim_attribute attributes[] = {
        attribute(PTOSIM_ATTR_FMAP_H, c.fmap_h),
        attribute(PTOSIM_ATTR_FMAP_W, c.fmap_w),
        attribute(PTOSIM_ATTR_PAD_LEFT, c.pad[0]),
        attribute(PTOSIM_ATTR_PAD_RIGHT, c.pad[1]),
        attribute(PTOSIM_ATTR_PAD_TOP, c.pad[2]),
        attribute(PTOSIM_ATTR_PAD_BOTTOM, c.pad[3]),
        attribute(PTOSIM_ATTR_PAD_BITS, to_bits(src.GetPadValue())),
        attribute(PTOSIM_ATTR_FILTER_H, c.filter_h),
        attribute(PTOSIM_ATTR_FILTER_W, c.filter_w),
        attribute(PTOSIM_ATTR_DILATION_H, c.dilation_h),
        attribute(PTOSIM_ATTR_DILATION_W, c.dilation_w),
        attribute(PTOSIM_ATTR_STRIDE_H, c.stride_h),
        attribute(PTOSIM_ATTR_STRIDE_W, c.stride_w),
        attribute(PTOSIM_ATTR_CHANNELS, c.channels),
        attribute(PTOSIM_ATTR_TRANSPOSE, c.transpose),
        attribute(PTOSIM_ATTR_REPEAT_STRIDE, c.repeat_stride),
        attribute(PTOSIM_ATTR_REPEAT_TIME, c.repeat_time),
        attribute(PTOSIM_ATTR_REPEAT_MODE, c.repeat_mode),
        attribute(PTOSIM_ATTR_IMAGE_DST_STRIDE, c.dst_stride),
        attribute(PTOSIM_ATTR_IMAGE_DST_POSITION, c.dst_position),
        attribute(PTOSIM_ATTR_IMAGE_REGISTERS, registers),
    };
    issue(opcode, where, operands, operand_count, attributes,
          sizeof(attributes) / sizeof(*attributes));
    return {where};
}

}  // namespace ptosim_detail

#define PTO_DETAIL_IMAGE_REGISTER(Name_)                                                     \
    template <typename Image, SetFmatrixMode Mode_ = SetFmatrixMode::FMATRIX_A_MANUAL>       \
    RecordEvent Name_(Image& src, PTO_DETAIL_EVENTS) {                                       \
        PTO_DETAIL_WAIT;                                                                     \
        return ptosim_detail::image_issue(PTO_DETAIL_OPCODE(Name_), src,                     \
                                          ptosim_detail::image_registers(Mode_), nullptr, 0, \
                                          where);                                            \
    }
PTO_DETAIL_IMAGE_REGISTER(SETFMATRIX)
PTO_DETAIL_IMAGE_REGISTER(SET_IMG2COL_RPT)
PTO_DETAIL_IMAGE_REGISTER(SET_IMG2COL_PADDING)
#undef PTO_DETAIL_IMAGE_REGISTER
// As cann/pypto names it.
template <typename Image, SetFmatrixMode Mode_ = SetFmatrixMode::FMATRIX_A_MANUAL>
RecordEvent TSETFMATRIX(Image& src, PTO_DETAIL_EVENTS) {
    return SETFMATRIX<Image, Mode_>(src, e0, e1, e2, e3, where);
}

// dst = rows posM.. and columns posK.. of the matrix whose rows are the windows of the image.
template <typename Data, typename Image, SetFmatrixMode Mode_ = SetFmatrixMode::FMATRIX_A_MANUAL>
RecordEvent TIMG2COL(Data& dst, Image& src, uint16_t posM = 0, uint16_t posK = 0,
                     PTO_DETAIL_EVENTS) {
    static_assert(is_conv_tile_v<Image> && Image::Loc == TileType::Mat,
                  "PTO: TIMG2COL reads a ConvTile of L1");
    static_assert(Data::Loc == TileType::Left, "PTO: TIMG2COL writes a tile of L0A");
    PTO_DETAIL_WAIT;
    const ptosim_operand operands[] = {ptosim_detail::operand(dst), ptosim_detail::operand(src),
                                       ptosim_detail::scalar(uint32_t{posM}),
                                       ptosim_detail::scalar(uint32_t{posK})};
    return ptosim_detail::image_issue(
        PTO_DETAIL_OPCODE(TIMG2COL), src,
        ptosim_detail::is_manual(Mode_) ? ptosim_detail::image_registers(Mode_) : 0, operands, 4,
        where);
}

}  // namespace pto
