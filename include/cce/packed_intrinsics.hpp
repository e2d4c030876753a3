// Forms of a2a3 intrinsics whose instruction has the arguments in words: they pack them
// (isa/intrinsics/intrinsic_image.cpp, intrinsic_fixpipe.cpp, intrinsic_cube.cpp give the layouts).
#pragma once

#include "cce/intrinsics.hpp"

namespace pto::ptosim_detail::intrinsics {

// ---- with modes of strides; mode 0 is the same as the form without modes ------------------------
#define PTO_DETAIL_STRIDE_MODES(Name_)                                                            \
    inline void Name_(Address dst, Address src, Scalar scalar, Word repeat, Word dst_block,        \
                      Word src_block, Word dst_repeat, Word src_repeat, bool repeat_mode,          \
                      bool block_mode, PTO_DETAIL_WHERE) {                                         \
        if (repeat_mode || block_mode)                                                             \
            ptosim_trap(#Name_ " with another mode of strides is not simulated", where);           \
        Name_(dst, src, scalar, repeat, dst_block, src_block, dst_repeat, src_repeat, where);      \
    }
PTO_DETAIL_STRIDE_MODES(vmaxs)
PTO_DETAIL_STRIDE_MODES(vmins)
#undef PTO_DETAIL_STRIDE_MODES

// ---- selection, with repeat count, strides and mode in one word --------------------------------------
inline void vsel(Address dst, Address src0, Address src1, uint64_t configuration, PTO_DETAIL_WHERE) {
    const auto field = [&](unsigned low, unsigned count) { return Word(configuration >> low & ((1u << count) - 1)); };
    vsel(dst, src0, src1, field(56, 8), field(0, 8), field(8, 8), field(16, 8), field(24, 8), field(32, 8),
         field(40, 8), field(48, 2), where);
}

// ---- fills by a number of a type ------------------------------------------------------------------
PTO_DETAIL_NUMBER_FILL(create_cbuf_matrix)
PTO_DETAIL_NUMBER_FILL(create_cbuf_matrix_bf16)
PTO_DETAIL_NUMBER_FILL(create_ca_matrix)
PTO_DETAIL_NUMBER_FILL(create_ca_matrix_bf16)
PTO_DETAIL_NUMBER_FILL(create_cb_matrix)
PTO_DETAIL_NUMBER_FILL(create_cb_matrix_bf16)
#undef PTO_DETAIL_NUMBER_FILL

// By the bits of a half, or by all 32 bits: fills of bf16.
#define PTO_DETAIL_FILL_BITS(Name_)                                                           \
    template <class Value_>                                                                     \
    void Name_##_h(Address dst, Word configuration, Value_ value, PTO_DETAIL_WHERE) {            \
        Name_##_bf16(dst, configuration, Word(to_bits(value)), where);                          \
    }                                                                                             \
    inline void Name_##_ui(Address dst, Word configuration, uint32_t value, PTO_DETAIL_WHERE) {  \
        dst.type = PTOSIM_U32;                                                                    \
        Name_(dst, configuration, Word(value), where);                                            \
    }
PTO_DETAIL_FILL_BITS(create_cbuf_matrix)
PTO_DETAIL_FILL_BITS(create_ca_matrix)
PTO_DETAIL_FILL_BITS(create_cb_matrix)
#undef PTO_DETAIL_FILL_BITS

// ---- fractals ---------------------------------------------------------------------------------------
// Without a gap; with a flag of the hardware's own order, which the machine keeps anyway.
#define PTO_DETAIL_FRACTALS(Name_)                                                                  \
    inline void Name_(Address dst, Address src, Word first, Word count, Word stride, Word sid,      \
                      Word transposed, PTO_DETAIL_WHERE) {                                          \
        Name_(dst, src, first, count, stride, Word(0), sid, transposed, Word(0), where);            \
    }                                                                                               \
    inline void Name_(Address dst, Address src, Word first, Word count, Word stride, Word gap,      \
                      Word sid, Word, Word transposed, Word downwards, PTO_DETAIL_WHERE) {          \
        Name_(dst, src, first, count, stride, gap, sid, transposed, downwards, where);              \
    }
PTO_DETAIL_FRACTALS(load_cbuf_to_ca)
PTO_DETAIL_FRACTALS(load_cbuf_to_cb)
#undef PTO_DETAIL_FRACTALS
#define PTO_DETAIL_GLOBAL_FRACTALS(Name_)                                                           \
    inline void Name_(Address dst, Address src, Word first, Word count, Word stride, Word sid,      \
                      PTO_DETAIL_WHERE) {                                                           \
        Name_(dst, src, first, count, stride, Word(0), sid, Word(0), where);                        \
    }                                                                                               \
    inline void Name_(Address dst, Address src, Word first, Word count, Word stride, Word gap,      \
                      Word sid, Word, Word downwards, PTO_DETAIL_WHERE) {                           \
        Name_(dst, src, first, count, stride, gap, sid, downwards, where);                          \
    }
PTO_DETAIL_GLOBAL_FRACTALS(load_gm_to_ca)
PTO_DETAIL_GLOBAL_FRACTALS(load_gm_to_cb)
PTO_DETAIL_GLOBAL_FRACTALS(load_gm_to_cbuf)
#undef PTO_DETAIL_GLOBAL_FRACTALS

// ---- windows of feature maps ----------------------------------------------------------------------
#define PTO_DETAIL_IMAGE(Name_)                                                                      \
    inline void Name_(Address dst, Address src, Word columns, Word rows, Word column, Word row,     \
                      Word stride_width, Word stride_height, Word filter_width, Word filter_height, \
                      Word dilation_width, Word dilation_height, Word wide_filter,                  \
                      Word high_filter, Word transpose, Word map_b, Word channels,                  \
                      PTO_DETAIL_WHERE) {                                                            \
        const ImageWords words =                                                                     \
            image_words(columns, rows, column, row, stride_width, stride_height, filter_width,       \
                        filter_height, dilation_width, dilation_height, wide_filter, high_filter,    \
                        transpose, map_b, channels);                                                 \
        Name_(dst, src, Word(words.part), Word(words.windows), where);                               \
    }
PTO_DETAIL_IMAGE(img2colv2_cbuf_to_ca)
PTO_DETAIL_IMAGE(img2colv2_cbuf_to_cb)
#undef PTO_DETAIL_IMAGE

// 4-bit elements move in pairs, which are bytes.
inline void img2colv2_cbuf_to_ca_s4(Address dst, Address src, Word columns, Word rows, Word column, Word row,
                                    Word stride_width, Word stride_height, Word filter_width,
                                    Word filter_height, Word dilation_width, Word dilation_height,
                                    Word wide_filter, Word high_filter, Word transpose, Word map_b,
                                    Word channels, PTO_DETAIL_WHERE) {
    if (((columns.value | column.value | channels.value | transpose.value) & 1) != 0)
        ptosim_trap("img2colv2_cbuf_to_ca_s4 with odd counts, or transposed, is not simulated", where);
    const auto pairs = [](Word count) { return Word((count.value & 0xFFFF) / 2); };
    dst.type = src.type = PTOSIM_I8;
    img2colv2_cbuf_to_ca(dst, src, pairs(columns), rows, pairs(column), row, stride_width, stride_height,
                         filter_width, filter_height, dilation_width, dilation_height, wide_filter,
                         high_filter, transpose, map_b, pairs(channels), where);
}

// ---- out of L0C -----------------------------------------------------------------------------------
#define PTO_DETAIL_DRAIN(Name_)                                                                        \
    inline void Name_(Address dst, Address src, Word sid, Word columns, Word rows, Word to_stride,     \
                      Word from_stride, Word unit_flag, Word mode, Word relu, Word split_channels,     \
                      Word as_rows, PTO_DETAIL_WHERE) {                                                \
        Name_(dst, src,                                                                                \
              Word(packed(sid, 0, 4) | packed(columns, 4, 12) | packed(rows, 16, 16) |                 \
                   packed(to_stride, 32, 32)),                                                         \
              Word(packed(from_stride, 0, 16) | packed(unit_flag, 32, 2) | packed(mode, 34, 5) |       \
                   packed(relu, 39, 3) | packed(split_channels, 42, 1) | packed(as_rows, 43, 1)),      \
              where);                                                                                  \
    }
PTO_DETAIL_DRAIN(copy_matrix_cc_to_gm)
PTO_DETAIL_DRAIN(copy_matrix_cc_to_cbuf)
#undef PTO_DETAIL_DRAIN

// ---- products: the address of the bias table is packed with that of c ---------------------------------
inline void mad(Address c, Address a, Address b, Address bias, Word m, Word k, Word n, Word unit_flag,
                Word k_aligned, Word from_bias, Word from_zero, PTO_DETAIL_WHERE) {
    c.value = (c.value & 0xFFFFFFFF) | bias.value << 32;
    mad(c, a, b, m, k, n, unit_flag, k_aligned, from_bias, from_zero, where);
}

inline void mad(Address c, Address a, Address b, uint64_t bias, Word m, Word k, Word n, Word unit_flag,
                Word k_aligned, Word from_bias, Word from_zero, PTO_DETAIL_WHERE) {
    mad(c, a, b, Address(bias), m, k, n, unit_flag, k_aligned, from_bias, from_zero, where);
}

// With offsets of sparse products and of weights, which have an effect on integers alone: none may be used.
#define PTO_DETAIL_PRODUCT(Name_)                                                                    \
    inline void Name_(Address c, Address a, Address b, Word m, Word k, Word n, Word feature_offset,    \
                      Word mask_offset, Word unit_flag, Word k_aligned, Word weight_offset,            \
                      Word from_bias, Word from_zero, PTO_DETAIL_WHERE) {                              \
        if ((feature_offset.value | mask_offset.value | weight_offset.value) != 0)                     \
            ptosim_trap(#Name_ " with offsets of features, masks or weights is not simulated", where); \
        Name_(c, a, b, m, k, n, unit_flag, k_aligned, from_bias, from_zero, where);                    \
    }
PTO_DETAIL_PRODUCT(mad)
PTO_DETAIL_PRODUCT(mad_s4)
#undef PTO_DETAIL_PRODUCT

// ---- the bias table by a number ---------------------------------------------------------------------
inline void copy_cbuf_to_bt(uint64_t dst, Address src, Word to_f32, Word count, Word length, Word src_gap,
                            Word dst_gap, PTO_DETAIL_WHERE) {
    copy_cbuf_to_bt(Address(dst), src, to_f32, count, length, src_gap, dst_gap, where);
}

}  // namespace pto::ptosim_detail::intrinsics
