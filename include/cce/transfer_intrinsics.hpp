// Intrinsics of transfers and of the cube unit, made from their rows in isa/intrinsics/ by scripts/regenerate.sh; do not edit.
#pragma once

#include "cce/intrinsic_call.hpp"

namespace pto::ptosim_detail::intrinsics {

inline void copy_gm_to_ubuf(Address a, Address b, Word c, Word d, Word e, Word f, Word g,
    PTO_DETAIL_WHERE) {
    PTO_DETAIL_INTRINSIC(copy_gm_to_ubuf, a, b, c, d, e, f, g);
}
inline void copy_gm_to_ubuf_align_b8(Address a, Address b, Word c, Word d, Word e, Word f, Word g,
    Word h, Word i, PTO_DETAIL_WHERE) {
    PTO_DETAIL_INTRINSIC(copy_gm_to_ubuf_align_b8, a, b, c, d, e, f, g, h, i);
}
inline void copy_gm_to_ubuf_align_b16(Address a, Address b, Word c, Word d, Word e, Word f, Word g,
    Word h, Word i, PTO_DETAIL_WHERE) {
    PTO_DETAIL_INTRINSIC(copy_gm_to_ubuf_align_b16, a, b, c, d, e, f, g, h, i);
}
inline void copy_gm_to_ubuf_align_b32(Address a, Address b, Word c, Word d, Word e, Word f, Word g,
    Word h, Word i, PTO_DETAIL_WHERE) {
    PTO_DETAIL_INTRINSIC(copy_gm_to_ubuf_align_b32, a, b, c, d, e, f, g, h, i);
}
inline void copy_gm_to_cbuf(Address a, Address b, Word c, Word d, Word e, Word f, Word g, Word h,
    PTO_DETAIL_WHERE) {
    PTO_DETAIL_INTRINSIC(copy_gm_to_cbuf, a, b, c, d, e, f, g, h);
}
inline void copy_ubuf_to_gm(Address a, Address b, Word c, Word d, Word e, Word f, Word g,
    PTO_DETAIL_WHERE) {
    PTO_DETAIL_INTRINSIC(copy_ubuf_to_gm, a, b, c, d, e, f, g);
}
inline void copy_ubuf_to_gm_align_b8(Address a, Address b, Word c, Word d, Word e, Word f, Word g,
    Word h, Word i, PTO_DETAIL_WHERE) {
    PTO_DETAIL_INTRINSIC(copy_ubuf_to_gm_align_b8, a, b, c, d, e, f, g, h, i);
}
inline void copy_ubuf_to_gm_align_b16(Address a, Address b, Word c, Word d, Word e, Word f, Word g,
    Word h, Word i, PTO_DETAIL_WHERE) {
    PTO_DETAIL_INTRINSIC(copy_ubuf_to_gm_align_b16, a, b, c, d, e, f, g, h, i);
}
inline void copy_ubuf_to_gm_align_b32(Address a, Address b, Word c, Word d, Word e, Word f, Word g,
    Word h, Word i, PTO_DETAIL_WHERE) {
    PTO_DETAIL_INTRINSIC(copy_ubuf_to_gm_align_b32, a, b, c, d, e, f, g, h, i);
}
inline void copy_cbuf_to_gm(Address a, Address b, Word c, Word d, Word e, Word f, Word g,
    PTO_DETAIL_WHERE) {
    PTO_DETAIL_INTRINSIC(copy_cbuf_to_gm, a, b, c, d, e, f, g);
}
inline void copy_gm_to_cbuf_multi_nd2nz_b8(Address a, Address b, Word c, Word d, Word e, Word f,
    Word g, Word h, Word i, Word j, Word k, PTO_DETAIL_WHERE) {
    PTO_DETAIL_INTRINSIC(copy_gm_to_cbuf_multi_nd2nz_b8, a, b, c, d, e, f, g, h, i, j, k);
}
inline void copy_gm_to_cbuf_multi_nd2nz_b16(Address a, Address b, Word c, Word d, Word e, Word f,
    Word g, Word h, Word i, Word j, Word k, PTO_DETAIL_WHERE) {
    PTO_DETAIL_INTRINSIC(copy_gm_to_cbuf_multi_nd2nz_b16, a, b, c, d, e, f, g, h, i, j, k);
}
inline void copy_gm_to_cbuf_multi_nd2nz_b32s(Address a, Address b, Word c, Word d, Word e, Word f,
    Word g, Word h, Word i, Word j, Word k, PTO_DETAIL_WHERE) {
    PTO_DETAIL_INTRINSIC(copy_gm_to_cbuf_multi_nd2nz_b32s, a, b, c, d, e, f, g, h, i, j, k);
}
inline void create_cbuf_matrix(Address a, Word b, Word c, PTO_DETAIL_WHERE) {
    PTO_DETAIL_INTRINSIC(create_cbuf_matrix, a, b, c);
}
inline void create_cbuf_matrix_bf16(Address a, Word b, Word c, PTO_DETAIL_WHERE) {
    PTO_DETAIL_INTRINSIC(create_cbuf_matrix_bf16, a, b, c);
}
inline void create_ca_matrix(Address a, Word b, Word c, PTO_DETAIL_WHERE) {
    PTO_DETAIL_INTRINSIC(create_ca_matrix, a, b, c);
}
inline void create_cb_matrix(Address a, Word b, Word c, PTO_DETAIL_WHERE) {
    PTO_DETAIL_INTRINSIC(create_cb_matrix, a, b, c);
}
inline void create_ca_matrix_bf16(Address a, Word b, Word c, PTO_DETAIL_WHERE) {
    PTO_DETAIL_INTRINSIC(create_ca_matrix_bf16, a, b, c);
}
inline void create_cb_matrix_bf16(Address a, Word b, Word c, PTO_DETAIL_WHERE) {
    PTO_DETAIL_INTRINSIC(create_cb_matrix_bf16, a, b, c);
}
inline void load_cbuf_to_cb_transpose(Address a, Address b, Word c, Word d, Word e, Word f, Word g,
    Word h, PTO_DETAIL_WHERE) {
    PTO_DETAIL_INTRINSIC(load_cbuf_to_cb_transpose, a, b, c, d, e, f, g, h);
}
inline void load_gm_to_ca(Address a, Address b, Word c, Word d, Word e, Word f, Word g, Word h,
    PTO_DETAIL_WHERE) {
    PTO_DETAIL_INTRINSIC(load_gm_to_ca, a, b, c, d, e, f, g, h);
}
inline void load_gm_to_cb(Address a, Address b, Word c, Word d, Word e, Word f, Word g, Word h,
    PTO_DETAIL_WHERE) {
    PTO_DETAIL_INTRINSIC(load_gm_to_cb, a, b, c, d, e, f, g, h);
}
inline void load_gm_to_cbuf(Address a, Address b, Word c, Word d, Word e, Word f, Word g, Word h,
    PTO_DETAIL_WHERE) {
    PTO_DETAIL_INTRINSIC(load_gm_to_cbuf, a, b, c, d, e, f, g, h);
}
#ifdef PTO_NPU_ARCH_A2A3
inline void load_cbuf_to_ca(Address a, Address b, Word c, Word d, Word e, Word f, Word g, Word h,
    Word i, PTO_DETAIL_WHERE) {
    PTO_DETAIL_INTRINSIC(load_cbuf_to_ca, a, b, c, d, e, f, g, h, i);
}
inline void load_cbuf_to_cb(Address a, Address b, Word c, Word d, Word e, Word f, Word g, Word h,
    Word i, PTO_DETAIL_WHERE) {
    PTO_DETAIL_INTRINSIC(load_cbuf_to_cb, a, b, c, d, e, f, g, h, i);
}
inline void load_cbuf_to_ca_transpose(Address a, Address b, Word c, Word d, Word e, Word f, Word g,
    Word h, PTO_DETAIL_WHERE) {
    PTO_DETAIL_INTRINSIC(load_cbuf_to_ca_transpose, a, b, c, d, e, f, g, h);
}
inline void load_cbuf_to_cb_transpose_s4(Address a, Address b, Word c, Word d, Word e, Word f,
    Word g, Word h, PTO_DETAIL_WHERE) {
    PTO_DETAIL_INTRINSIC(load_cbuf_to_cb_transpose_s4, a, b, c, d, e, f, g, h);
}
inline void load_cbuf_to_ca_s4(Address a, Address b, Word c, Word d, Word e, Word f, Word g, Word h,
    Word i, PTO_DETAIL_WHERE) {
    PTO_DETAIL_INTRINSIC(load_cbuf_to_ca_s4, a, b, c, d, e, f, g, h, i);
}
inline void load_cbuf_to_cb_s4(Address a, Address b, Word c, Word d, Word e, Word f, Word g, Word h,
    Word i, PTO_DETAIL_WHERE) {
    PTO_DETAIL_INTRINSIC(load_cbuf_to_cb_s4, a, b, c, d, e, f, g, h, i);
}
inline void img2colv2_cbuf_to_ca(Address a, Address b, Word c, Word d, PTO_DETAIL_WHERE) {
    PTO_DETAIL_INTRINSIC(img2colv2_cbuf_to_ca, a, b, c, d);
}
inline void img2colv2_cbuf_to_cb(Address a, Address b, Word c, Word d, PTO_DETAIL_WHERE) {
    PTO_DETAIL_INTRINSIC(img2colv2_cbuf_to_cb, a, b, c, d);
}
inline void copy_cbuf_to_bt(Address a, Address b, Word c, Word d, Word e, Word f, Word g,
    PTO_DETAIL_WHERE) {
    PTO_DETAIL_INTRINSIC(copy_cbuf_to_bt, a, b, c, d, e, f, g);
}
inline void copy_cbuf_to_fbuf(Address a, Address b, Word c, Word d, Word e, Word f,
    PTO_DETAIL_WHERE) {
    PTO_DETAIL_INTRINSIC(copy_cbuf_to_fbuf, a, b, c, d, e, f);
}
inline void mad(Address a, Address b, Address c, Word d, Word e, Word f, Word g, Word h, Word i,
    Word j, PTO_DETAIL_WHERE) {
    PTO_DETAIL_INTRINSIC(mad, a, b, c, d, e, f, g, h, i, j);
}
inline void mad_s4(Address a, Address b, Address c, Word d, Word e, Word f, Word g, Word h, Word i,
    Word j, PTO_DETAIL_WHERE) {
    PTO_DETAIL_INTRINSIC(mad_s4, a, b, c, d, e, f, g, h, i, j);
}
inline void copy_matrix_cc_to_gm(Address a, Address b, Word c, Word d, PTO_DETAIL_WHERE) {
    PTO_DETAIL_INTRINSIC(copy_matrix_cc_to_gm, a, b, c, d);
}
inline void copy_matrix_cc_to_cbuf(Address a, Address b, Word c, Word d, PTO_DETAIL_WHERE) {
    PTO_DETAIL_INTRINSIC(copy_matrix_cc_to_cbuf, a, b, c, d);
}
#endif
#ifndef PTO_NPU_ARCH_A2A3
inline void copy_gm_to_ubuf_align_v2(Address a, Address b, Word c, Word d, Word e, Word f,
    PTO_DETAIL_WHERE) {
    PTO_DETAIL_INTRINSIC(copy_gm_to_ubuf_align_v2, a, b, c, d, e, f);
}
inline void copy_gm_to_cbuf_align_v2(Address a, Address b, Word c, Word d, Word e, Word f,
    PTO_DETAIL_WHERE) {
    PTO_DETAIL_INTRINSIC(copy_gm_to_cbuf_align_v2, a, b, c, d, e, f);
}
inline void copy_ubuf_to_gm_align_v2(Address a, Address b, Word c, Word d, Word e, Word f,
    PTO_DETAIL_WHERE) {
    PTO_DETAIL_INTRINSIC(copy_ubuf_to_gm_align_v2, a, b, c, d, e, f);
}
inline void copy_ubuf_to_cbuf(Address a, Address b, Word c, Word d, Word e, Word f, Word g,
    PTO_DETAIL_WHERE) {
    PTO_DETAIL_INTRINSIC(copy_ubuf_to_cbuf, a, b, c, d, e, f, g);
}
inline void copy_cbuf_to_ubuf(Address a, Address b, Word c, Word d, Word e, Word f, Word g,
    PTO_DETAIL_WHERE) {
    PTO_DETAIL_INTRINSIC(copy_cbuf_to_ubuf, a, b, c, d, e, f, g);
}
inline void nddma_out_to_ub_b8(Address a, Address b, Word c, Word d, Word e, Word f, Word g, Word h,
    Word i, Word j, Word k, PTO_DETAIL_WHERE) {
    PTO_DETAIL_INTRINSIC(nddma_out_to_ub_b8, a, b, c, d, e, f, g, h, i, j, k);
}
inline void nddma_out_to_ub_b16(Address a, Address b, Word c, Word d, Word e, Word f, Word g, Word h,
    Word i, Word j, Word k, PTO_DETAIL_WHERE) {
    PTO_DETAIL_INTRINSIC(nddma_out_to_ub_b16, a, b, c, d, e, f, g, h, i, j, k);
}
inline void nddma_out_to_ub_b32(Address a, Address b, Word c, Word d, Word e, Word f, Word g, Word h,
    Word i, Word j, Word k, PTO_DETAIL_WHERE) {
    PTO_DETAIL_INTRINSIC(nddma_out_to_ub_b32, a, b, c, d, e, f, g, h, i, j, k);
}
inline void copy_gm_to_cbuf_multi_nd2nz(Address a, Address b, Word c, Word d, Word e, Word f, Word g,
    Word h, Word i, PTO_DETAIL_WHERE) {
    PTO_DETAIL_INTRINSIC(copy_gm_to_cbuf_multi_nd2nz, a, b, c, d, e, f, g, h, i);
}
inline void copy_gm_to_cbuf_multi_dn2nz(Address a, Address b, Word c, Word d, Word e, Word f, Word g,
    Word h, Word i, PTO_DETAIL_WHERE) {
    PTO_DETAIL_INTRINSIC(copy_gm_to_cbuf_multi_dn2nz, a, b, c, d, e, f, g, h, i);
}
inline void load_cbuf_to_ca_c310(Address a, Address b, Word c, Word d, Word e, Word f, Word g,
    Word h, Word i, PTO_DETAIL_WHERE) {
    PTO_DETAIL_INTRINSIC(load_cbuf_to_ca_c310, a, b, c, d, e, f, g, h, i);
}
inline void load_cbuf_to_cb_c310(Address a, Address b, Word c, Word d, Word e, Word f, Word g,
    Word h, Word i, PTO_DETAIL_WHERE) {
    PTO_DETAIL_INTRINSIC(load_cbuf_to_cb_c310, a, b, c, d, e, f, g, h, i);
}
inline void load_cbuf_to_ca_s4_c310(Address a, Address b, Word c, Word d, Word e, Word f, Word g,
    Word h, Word i, PTO_DETAIL_WHERE) {
    PTO_DETAIL_INTRINSIC(load_cbuf_to_ca_s4_c310, a, b, c, d, e, f, g, h, i);
}
inline void load_cbuf_to_cb_s4_c310(Address a, Address b, Word c, Word d, Word e, Word f, Word g,
    Word h, Word i, PTO_DETAIL_WHERE) {
    PTO_DETAIL_INTRINSIC(load_cbuf_to_cb_s4_c310, a, b, c, d, e, f, g, h, i);
}
inline void load_cbuf_to_ca_mx(Address a, Address b, Word c, Word d, Word e, Word f, Word g, Word h,
    PTO_DETAIL_WHERE) {
    PTO_DETAIL_INTRINSIC(load_cbuf_to_ca_mx, a, b, c, d, e, f, g, h);
}
inline void load_cbuf_to_cb_mx(Address a, Address b, Word c, Word d, Word e, Word f, Word g, Word h,
    PTO_DETAIL_WHERE) {
    PTO_DETAIL_INTRINSIC(load_cbuf_to_cb_mx, a, b, c, d, e, f, g, h);
}
inline void img2colv2_cbuf_to_ca_c310(Address a, Address b, Word c, Word d, PTO_DETAIL_WHERE) {
    PTO_DETAIL_INTRINSIC(img2colv2_cbuf_to_ca_c310, a, b, c, d);
}
inline void copy_cbuf_to_bt_c310(Address a, Address b, Word c, Word d, Word e, Word f, Word g,
    PTO_DETAIL_WHERE) {
    PTO_DETAIL_INTRINSIC(copy_cbuf_to_bt_c310, a, b, c, d, e, f, g);
}
inline void copy_cbuf_to_fbuf_c310(Address a, Address b, Word c, Word d, Word e, Word f,
    PTO_DETAIL_WHERE) {
    PTO_DETAIL_INTRINSIC(copy_cbuf_to_fbuf_c310, a, b, c, d, e, f);
}
inline void mad_c310(Address a, Address b, Address c, Word d, Word e, Word f, Word g, Word h, Word i,
    Word j, PTO_DETAIL_WHERE) {
    PTO_DETAIL_INTRINSIC(mad_c310, a, b, c, d, e, f, g, h, i, j);
}
inline void mad_mx(Address a, Address b, Address c, Word d, Word e, Word f, Word g, Word h, Word i,
    Word j, PTO_DETAIL_WHERE) {
    PTO_DETAIL_INTRINSIC(mad_mx, a, b, c, d, e, f, g, h, i, j);
}
inline void copy_matrix_cc_to_gm_c310(Address a, Address b, Word c, Word d, PTO_DETAIL_WHERE) {
    PTO_DETAIL_INTRINSIC(copy_matrix_cc_to_gm_c310, a, b, c, d);
}
inline void copy_matrix_cc_to_cbuf_c310(Address a, Address b, Word c, Word d, PTO_DETAIL_WHERE) {
    PTO_DETAIL_INTRINSIC(copy_matrix_cc_to_cbuf_c310, a, b, c, d);
}
inline void copy_matrix_cc_to_ub(Address a, Address b, Word c, Word d, PTO_DETAIL_WHERE) {
    PTO_DETAIL_INTRINSIC(copy_matrix_cc_to_ub, a, b, c, d);
}
#endif

}  // namespace pto::ptosim_detail::intrinsics
