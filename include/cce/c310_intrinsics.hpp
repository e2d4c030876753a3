// Intrinsics of C310 (a5) with the signatures of its device compiler: packs arguments that share a word of the
// instruction (isa/intrinsics/intrinsic_c310_*.cpp give the layouts).
#pragma once

#include <initializer_list>

#include "cce/c310_matrix.hpp"
#include "cce/intrinsics.hpp"

// Bytes of a vector register, and its lanes.
inline constexpr unsigned CCE_VL = 256;
inline constexpr unsigned ELE_CNT_B8 = CCE_VL, ELE_CNT_B16 = CCE_VL / 2, ELE_CNT_B32 = CCE_VL / 4,
                          ELE_CNT_B64 = CCE_VL / 8;

namespace pto::ptosim_detail::intrinsics {

// ---- bursts ---------------------------------------------------------------------------------------
#define PTO_DETAIL_LOOPS_IN(Name_)                                                                      \
    inline void Name_(Address dst, Address src, Word, Word count, Word length, Word before, Word after, \
                      Word constant, Word control, Word from_step, Word to_step, PTO_DETAIL_WHERE) {    \
        Name_(dst, hinted(src, control),                                                                \
              Word(packed(count, 0, 32) | packed(before, 32, 8) | packed(after, 40, 8) |                \
                   packed(constant, 48, 1)),                                                            \
              length, from_step, to_step, where);                                                       \
    }
PTO_DETAIL_LOOPS_IN(copy_gm_to_ubuf_align_v2)
PTO_DETAIL_LOOPS_IN(copy_gm_to_cbuf_align_v2)
#undef PTO_DETAIL_LOOPS_IN
inline void copy_ubuf_to_gm_align_v2(Address dst, Address src, Word, Word count, Word length, Word control,
                                     Word to_step, Word from_step, PTO_DETAIL_WHERE) {
    copy_ubuf_to_gm_align_v2(hinted(dst, control), src, count, length, to_step, from_step, where);
}
// Distances and padding of grids, which registers of their own hold: each core has a copy of these.
struct GridWords {
    uint64_t steps[5], padding, value;
};
inline GridWords& grid_words() {
    static GridWords words{};
    return words;
}
#define PTO_DETAIL_GRID(Name_)                                                                                         \
    inline void Name_(Address dst, Address src, Word, Word count0, Word count1, Word count2, Word count3, Word count4, \
                      Word before, Word after, Word constant, Word control, PTO_DETAIL_WHERE) {                        \
        const GridWords& words = grid_words();                                                                         \
        Name_(dst, hinted(src, control), Word(packed(count0, 0, 20) | packed(count1, 20, 20) | packed(count2, 40, 20)), \
              Word(packed(count3, 0, 20) | packed(count4, 20, 20) | packed(before, 40, 8) | packed(after, 48, 8) |     \
                   packed(constant, 56, 1)),                                                                           \
              Word(words.steps[0]), Word(words.steps[1]), Word(words.steps[2]), Word(words.steps[3]),                  \
              Word(words.steps[4]), Word(words.padding), Word(words.value), where);                                    \
    }
PTO_DETAIL_GRID(nddma_out_to_ub_b8)
PTO_DETAIL_GRID(nddma_out_to_ub_b16)
PTO_DETAIL_GRID(nddma_out_to_ub_b32)
#undef PTO_DETAIL_GRID
inline void copy_ubuf_to_ubuf(Address dst, Address src, Word count, Word length, Word src_gap, Word dst_gap,
                              PTO_DETAIL_WHERE) {
    copy_ubuf_to_ubuf(dst, src, Word(0), count, length, src_gap, dst_gap, where);
}

// ---- fills by a number of a type --------------------------------------------------------------------
PTO_DETAIL_NUMBER_FILL(create_cbuf_matrix)
PTO_DETAIL_NUMBER_FILL(create_cbuf_matrix_bf16)
#undef PTO_DETAIL_NUMBER_FILL

// ---- what C310 has by the name of something else ----------------------------------------------------
// Squares of bytes are two fractals there, from any distance; of 16 bits one, as on a2a3.
template <class D_, class S_>
void load_cbuf_to_cb_transpose(D_* dst, S_* src, Word first, Word count, Word stride, Word gap, addr_cal_mode_t mode,
                               Word gap_within, Word from_gap, PTO_DETAIL_WHERE) {
    using Element_ = typename Target<S_>::type;
    if constexpr (sizeof(Element_) == 2) {
        load_cbuf_to_cb_transpose(Address(dst), Address(src), first, count, stride, gap, mode, gap_within, where);
    } else {
        if (sizeof(Element_) != 1 || from_gap.value != 0)
            ptosim_trap("load_cbuf_to_cb_transpose of 32 bits, or with gaps between source fractals, is not simulated",
                        where);
        for (uint64_t i = 0; i < count.value; ++i) {
            const uint64_t step = i * stride.value;
            const uint64_t from = 512 * (mode == dec ? first.value - step : first.value + step);
            load_cbuf_to_cb_transpose(Address((D_*)((uint64_t)dst + 512 * i * (1 + gap.value))),
                                      Address((S_*)((uint64_t)src + from)), Word(0), Word(1), Word(0), Word(0), inc,
                                      gap_within, where);
        }
    }
}

inline void img2colv2_cbuf_to_ca(Address dst, Address src, Word columns, Word rows, Word column, Word row,
                                 Word stride_width, Word stride_height, Word filter_width, Word filter_height,
                                 Word dilation_width, Word dilation_height, Word wide_filter, Word high_filter,
                                 Word transpose, Word map_b, Word channels, PTO_DETAIL_WHERE) {
    const ImageWords words =
        image_words(columns, rows, column, row, stride_width, stride_height, filter_width, filter_height, dilation_width,
                    dilation_height, wide_filter, high_filter, transpose, map_b, channels);
    img2colv2_cbuf_to_ca_c310(dst, src, Word(words.part), Word(words.windows), where);
}
inline void img2colv2_cbuf_to_ca(Address dst, Address src, Word part, Word windows, PTO_DETAIL_WHERE) {
    img2colv2_cbuf_to_ca_c310(dst, src, part, windows, where);
}
inline void copy_cbuf_to_bt(uint64_t dst, Address src, Word to_f32, Word count, Word length, Word src_gap,
                            Word dst_gap, PTO_DETAIL_WHERE) {
    copy_cbuf_to_bt_c310(Address(dst), src, to_f32, count, length, src_gap, dst_gap, where);
}
inline void copy_cbuf_to_fbuf(Address dst, Address src, Word count, Word length, Word src_gap, Word dst_gap,
                              PTO_DETAIL_WHERE) {
    copy_cbuf_to_fbuf_c310(dst, src, count, length, src_gap, dst_gap, where);
}

// ---- out of L0C -------------------------------------------------------------------------------------
struct DrainWords {
    uint64_t size, modes;
};
inline DrainWords drain_words(Word sub_block, Word columns, Word rows, Word to_stride, Word from_stride,
                                 Word unit_flag, Word mode, Word relu, Word split, Word as_rows, Word as_columns) {
    return {packed(sub_block, 0, 1) | packed(columns, 4, 12) | packed(rows, 16, 16) | packed(to_stride, 32, 32),
            packed(from_stride, 0, 16) | (mode.value >> 5 & 1) << 29 | packed(unit_flag, 32, 2) | packed(mode, 34, 5) |
                packed(relu, 39, 3) | packed(split, 42, 1) | packed(as_rows, 43, 1) | packed(as_columns, 62, 1)};
}
// Steps after the conversion, and reading the target, are unsupported.
inline bool is_plain(std::initializer_list<Word> options) {
    for (const Word& option : options)
        if (option.value != 0) return false;
    return true;
}
inline void copy_matrix_cc_to_gm(Address dst, Address src, Word size, Word modes, PTO_DETAIL_WHERE) {
    copy_matrix_cc_to_gm_c310(dst, src, size, modes, where);
}
#define PTO_DETAIL_DRAIN(Name_)                                                                                \
    inline void Name_(Address dst, Address src, Word, Word columns, Word rows, Word to_stride,                 \
                      Word from_stride, Word l2, Word clip, Word unit_flag, Word mode, Word relu, Word split,  \
                      Word as_rows, Word mode_post, Word relu_post, Word clip_post, Word enhance, Word eltwise, \
                      Word eltwise_quant, Word merge, Word pad, Word wino, Word broadcast, Word as_columns,    \
                      PTO_DETAIL_WHERE) {                                                                      \
        if (!is_plain({clip, mode_post, relu_post, clip_post, enhance, eltwise, eltwise_quant, merge, pad,     \
                       wino, broadcast}))                                                                      \
            ptosim_trap(#Name_ " does more than to convert: ptosim does not simulate it", where);              \
        const DrainWords words = drain_words(Word(0), columns, rows, to_stride, from_stride, unit_flag, mode,  \
                                             relu, split, as_rows, as_columns);                                \
        Name_##_c310(hinted(dst, l2), src, Word(words.size), Word(words.modes), where);                        \
    }
PTO_DETAIL_DRAIN(copy_matrix_cc_to_gm)
PTO_DETAIL_DRAIN(copy_matrix_cc_to_cbuf)
#undef PTO_DETAIL_DRAIN
// `dual`: half of the rows (1), or of the columns (2), to each vector core of the cluster.
inline void copy_matrix_cc_to_ub(Address dst, Address src, Word, Word columns, Word rows, Word to_stride,
                                 Word from_stride, Word dual, Word sub_block, Word clip, Word unit_flag, Word mode,
                                 Word relu, Word split, Word as_rows, Word mode_post, Word relu_post, Word clip_post,
                                 Word enhance, Word eltwise, Word eltwise_quant, Word merge, Word pad, Word wino,
                                 Word broadcast, Word as_columns, PTO_DETAIL_WHERE) {
    if (!is_plain({clip, mode_post, relu_post, clip_post, enhance, eltwise, eltwise_quant, merge, pad, wino, broadcast}))
        ptosim_trap("copy_matrix_cc_to_ub does more than to convert: ptosim does not simulate it", where);
    const auto drain = [&](Word core, Address from, Word flag) {
        const DrainWords words =
            drain_words(core, columns, rows, to_stride, from_stride, flag, mode, relu, split, as_rows, as_columns);
        copy_matrix_cc_to_ub(dst, from, Word(words.size), Word(words.modes), where);
    };
    if (dual.value == 0) return drain(sub_block, src, unit_flag);
    constexpr uint64_t kRowBytes = 64;  // 16 columns of a row in L0C
    Address second = src;
    if (dual.value == 1) {
        rows.value /= 2;
        second.value += rows.value * kRowBytes;
    } else {
        columns.value /= 2;
        second.value += columns.value / 16 * from_stride.value * kRowBytes;
    }
    drain(Word(0), src, Word(unit_flag.value == 0 ? 0 : 2));
    drain(Word(1), second, unit_flag);
}

}  // namespace pto::ptosim_detail::intrinsics

// ---- registers ------------------------------------------------------------------------------------
PTO_DETAIL_REGISTER_SETTER(set_loop_size_outtoub, LOOP_SIZE_OUTTOUB)
PTO_DETAIL_REGISTER_SETTER(set_loop1_stride_outtoub, LOOP1_OUTTOUB)
PTO_DETAIL_REGISTER_SETTER(set_loop2_stride_outtoub, LOOP2_OUTTOUB)
PTO_DETAIL_REGISTER_SETTER(set_loop_size_ubtoout, LOOP_SIZE_UBTOOUT)
PTO_DETAIL_REGISTER_SETTER(set_loop1_stride_ubtoout, LOOP1_UBTOOUT)
PTO_DETAIL_REGISTER_SETTER(set_loop2_stride_ubtoout, LOOP2_UBTOOUT)
PTO_DETAIL_REGISTER_SETTER(set_loop_size_outtol1, LOOP_SIZE_OUTTOL1)
PTO_DETAIL_REGISTER_SETTER(set_loop1_stride_outtol1, LOOP1_OUTTOL1)
PTO_DETAIL_REGISTER_SETTER(set_loop2_stride_outtol1, LOOP2_OUTTOL1)
PTO_DETAIL_REGISTER_SETTER(set_pad_val_outtol1, PAD_OUTTOL1)
PTO_DETAIL_REGISTER_SETTER(set_mte2_nz_para, MTE2_NZ_PARA)
PTO_DETAIL_REGISTER_SETTER(set_loop3_para, LOOP3_PARA)
PTO_DETAIL_REGISTER_SETTER(set_channel_para, CHANNEL_PARA)
#define PTO_DETAIL_GRID_SETTER(Name_, Word_)                                   \
    inline void Name_(uint64_t value) {                                        \
        ptosim_scalar_work(1);                                                 \
        ::pto::ptosim_detail::intrinsics::grid_words().Word_ = value;          \
    }
PTO_DETAIL_GRID_SETTER(set_loop0_stride_nddma, steps[0])
PTO_DETAIL_GRID_SETTER(set_loop1_stride_nddma, steps[1])
PTO_DETAIL_GRID_SETTER(set_loop2_stride_nddma, steps[2])
PTO_DETAIL_GRID_SETTER(set_loop3_stride_nddma, steps[3])
PTO_DETAIL_GRID_SETTER(set_loop4_stride_nddma, steps[4])
PTO_DETAIL_GRID_SETTER(set_pad_cnt_nddma, padding)
PTO_DETAIL_GRID_SETTER(set_pad_val_nddma, value)
#undef PTO_DETAIL_GRID_SETTER
// Empties the cache of such loads, which is not simulated.
inline void nd_dma_dci() { ptosim_scalar_work(1); }
inline void set_pcie_rd_ctrl(uint64_t) { ptosim_scalar_work(1); }
// Writes the end of a buffer into unused bits of its address, for checks of bounds on the device.
template <class Address_>
constexpr Address_ set_ub_addr_upper_bound(Address_ address, uint64_t) {
    return address;
}
// Registers of image loads to L0B, which this simulator does not have on C310.
inline void set_l3d_rpt_b(uint64_t) { ptosim_scalar_work(1); }
template <class T_>
void set_padding_b(T_) {
    ptosim_scalar_work(1);
}
#undef PTO_DETAIL_REGISTER_SETTER
