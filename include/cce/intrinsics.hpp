// Intrinsics, made from their rows in isa/intrinsics/ by scripts/regenerate.sh.
#pragma once

#include "cce/intrinsic_call.hpp"

namespace pto::ptosim_detail::intrinsics {

inline void copy_ubuf_to_ubuf(Address a, Address b, Word c, Word d, Word e, Word f, Word g,
    PTO_DETAIL_WHERE) {
    PTO_DETAIL_INTRINSIC(copy_ubuf_to_ubuf, a, b, c, d, e, f, g);
}
inline void vbitsort(Address a, Address b, Address c, Word d, PTO_DETAIL_WHERE) {
    PTO_DETAIL_INTRINSIC(vbitsort, a, b, c, d);
}
inline void vmrgsort4(Address a, Address b, Address c, Address d, Address e, Word f, Word g,
    PTO_DETAIL_WHERE) {
    PTO_DETAIL_INTRINSIC(vmrgsort4, a, b, c, d, e, f, g);
}
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
inline void vadd(Address a, Address b, Address c, Word d, Word e, Word f, Word g, Word h, Word i,
    Word j, PTO_DETAIL_WHERE) {
    PTO_DETAIL_INTRINSIC(vadd, a, b, c, d, e, f, g, h, i, j);
}
inline void vsub(Address a, Address b, Address c, Word d, Word e, Word f, Word g, Word h, Word i,
    Word j, PTO_DETAIL_WHERE) {
    PTO_DETAIL_INTRINSIC(vsub, a, b, c, d, e, f, g, h, i, j);
}
inline void vmul(Address a, Address b, Address c, Word d, Word e, Word f, Word g, Word h, Word i,
    Word j, PTO_DETAIL_WHERE) {
    PTO_DETAIL_INTRINSIC(vmul, a, b, c, d, e, f, g, h, i, j);
}
inline void vdiv(Address a, Address b, Address c, Word d, Word e, Word f, Word g, Word h, Word i,
    Word j, PTO_DETAIL_WHERE) {
    PTO_DETAIL_INTRINSIC(vdiv, a, b, c, d, e, f, g, h, i, j);
}
inline void vmax(Address a, Address b, Address c, Word d, Word e, Word f, Word g, Word h, Word i,
    Word j, PTO_DETAIL_WHERE) {
    PTO_DETAIL_INTRINSIC(vmax, a, b, c, d, e, f, g, h, i, j);
}
inline void vmin(Address a, Address b, Address c, Word d, Word e, Word f, Word g, Word h, Word i,
    Word j, PTO_DETAIL_WHERE) {
    PTO_DETAIL_INTRINSIC(vmin, a, b, c, d, e, f, g, h, i, j);
}
inline void vand(Address a, Address b, Address c, Word d, Word e, Word f, Word g, Word h, Word i,
    Word j, PTO_DETAIL_WHERE) {
    PTO_DETAIL_INTRINSIC(vand, a, b, c, d, e, f, g, h, i, j);
}
inline void vor(Address a, Address b, Address c, Word d, Word e, Word f, Word g, Word h, Word i,
    Word j, PTO_DETAIL_WHERE) {
    PTO_DETAIL_INTRINSIC(vor, a, b, c, d, e, f, g, h, i, j);
}
inline void vaddrelu(Address a, Address b, Address c, Word d, Word e, Word f, Word g, Word h, Word i,
    Word j, PTO_DETAIL_WHERE) {
    PTO_DETAIL_INTRINSIC(vaddrelu, a, b, c, d, e, f, g, h, i, j);
}
inline void vsubrelu(Address a, Address b, Address c, Word d, Word e, Word f, Word g, Word h, Word i,
    Word j, PTO_DETAIL_WHERE) {
    PTO_DETAIL_INTRINSIC(vsubrelu, a, b, c, d, e, f, g, h, i, j);
}
inline void vmla(Address a, Address b, Address c, Word d, Word e, Word f, Word g, Word h, Word i,
    Word j, PTO_DETAIL_WHERE) {
    PTO_DETAIL_INTRINSIC(vmla, a, b, c, d, e, f, g, h, i, j);
}
inline void vmadd(Address a, Address b, Address c, Word d, Word e, Word f, Word g, Word h, Word i,
    Word j, PTO_DETAIL_WHERE) {
    PTO_DETAIL_INTRINSIC(vmadd, a, b, c, d, e, f, g, h, i, j);
}
inline void vmaddrelu(Address a, Address b, Address c, Word d, Word e, Word f, Word g, Word h,
    Word i, Word j, PTO_DETAIL_WHERE) {
    PTO_DETAIL_INTRINSIC(vmaddrelu, a, b, c, d, e, f, g, h, i, j);
}
inline void vadds(Address a, Address b, Scalar c, Word d, Word e, Word f, Word g, Word h,
    PTO_DETAIL_WHERE) {
    PTO_DETAIL_INTRINSIC(vadds, a, b, c, d, e, f, g, h);
}
inline void vmuls(Address a, Address b, Scalar c, Word d, Word e, Word f, Word g, Word h,
    PTO_DETAIL_WHERE) {
    PTO_DETAIL_INTRINSIC(vmuls, a, b, c, d, e, f, g, h);
}
inline void vmaxs(Address a, Address b, Scalar c, Word d, Word e, Word f, Word g, Word h,
    PTO_DETAIL_WHERE) {
    PTO_DETAIL_INTRINSIC(vmaxs, a, b, c, d, e, f, g, h);
}
inline void vmins(Address a, Address b, Scalar c, Word d, Word e, Word f, Word g, Word h,
    PTO_DETAIL_WHERE) {
    PTO_DETAIL_INTRINSIC(vmins, a, b, c, d, e, f, g, h);
}
inline void vlrelu(Address a, Address b, Scalar c, Word d, Word e, Word f, Word g, Word h,
    PTO_DETAIL_WHERE) {
    PTO_DETAIL_INTRINSIC(vlrelu, a, b, c, d, e, f, g, h);
}
inline void vaxpy(Address a, Address b, Scalar c, Word d, Word e, Word f, Word g, Word h,
    PTO_DETAIL_WHERE) {
    PTO_DETAIL_INTRINSIC(vaxpy, a, b, c, d, e, f, g, h);
}
inline void vshl(Address a, Address b, Word c, Word d, Word e, Word f, Word g, Word h,
    PTO_DETAIL_WHERE) {
    PTO_DETAIL_INTRINSIC(vshl, a, b, c, d, e, f, g, h);
}
inline void vshr(Address a, Address b, Word c, Word d, Word e, Word f, Word g, Word h, Word i = 0,
    PTO_DETAIL_WHERE) {
    PTO_DETAIL_INTRINSIC(vshr, a, b, c, d, e, f, g, h, i);
}
inline void vabs(Address a, Address b, Word c, Word d, Word e, Word f, Word g, PTO_DETAIL_WHERE) {
    PTO_DETAIL_INTRINSIC(vabs, a, b, c, d, e, f, g);
}
inline void vrelu(Address a, Address b, Word c, Word d, Word e, Word f, Word g, PTO_DETAIL_WHERE) {
    PTO_DETAIL_INTRINSIC(vrelu, a, b, c, d, e, f, g);
}
inline void vnot(Address a, Address b, Word c, Word d, Word e, Word f, Word g, PTO_DETAIL_WHERE) {
    PTO_DETAIL_INTRINSIC(vnot, a, b, c, d, e, f, g);
}
inline void vexp(Address a, Address b, Word c, Word d, Word e, Word f, Word g, PTO_DETAIL_WHERE) {
    PTO_DETAIL_INTRINSIC(vexp, a, b, c, d, e, f, g);
}
inline void vln(Address a, Address b, Word c, Word d, Word e, Word f, Word g, PTO_DETAIL_WHERE) {
    PTO_DETAIL_INTRINSIC(vln, a, b, c, d, e, f, g);
}
inline void vsqrt(Address a, Address b, Word c, Word d, Word e, Word f, Word g, PTO_DETAIL_WHERE) {
    PTO_DETAIL_INTRINSIC(vsqrt, a, b, c, d, e, f, g);
}
inline void vrsqrt(Address a, Address b, Word c, Word d, Word e, Word f, Word g, PTO_DETAIL_WHERE) {
    PTO_DETAIL_INTRINSIC(vrsqrt, a, b, c, d, e, f, g);
}
inline void vrec(Address a, Address b, Word c, Word d, Word e, Word f, Word g, PTO_DETAIL_WHERE) {
    PTO_DETAIL_INTRINSIC(vrec, a, b, c, d, e, f, g);
}
inline void vconv_f322f16(Address a, Address b, Word c, Word d, Word e, Word f, Word g,
    PTO_DETAIL_WHERE) {
    PTO_DETAIL_INTRINSIC(vconv_f322f16, a, b, c, d, e, f, g);
}
inline void vconv_f322f16r(Address a, Address b, Word c, Word d, Word e, Word f, Word g,
    PTO_DETAIL_WHERE) {
    PTO_DETAIL_INTRINSIC(vconv_f322f16r, a, b, c, d, e, f, g);
}
inline void vconv_f322f16a(Address a, Address b, Word c, Word d, Word e, Word f, Word g,
    PTO_DETAIL_WHERE) {
    PTO_DETAIL_INTRINSIC(vconv_f322f16a, a, b, c, d, e, f, g);
}
inline void vconv_f322f16f(Address a, Address b, Word c, Word d, Word e, Word f, Word g,
    PTO_DETAIL_WHERE) {
    PTO_DETAIL_INTRINSIC(vconv_f322f16f, a, b, c, d, e, f, g);
}
inline void vconv_f322f16c(Address a, Address b, Word c, Word d, Word e, Word f, Word g,
    PTO_DETAIL_WHERE) {
    PTO_DETAIL_INTRINSIC(vconv_f322f16c, a, b, c, d, e, f, g);
}
inline void vconv_f322f16z(Address a, Address b, Word c, Word d, Word e, Word f, Word g,
    PTO_DETAIL_WHERE) {
    PTO_DETAIL_INTRINSIC(vconv_f322f16z, a, b, c, d, e, f, g);
}
inline void vconv_f322f16o(Address a, Address b, Word c, Word d, Word e, Word f, Word g,
    PTO_DETAIL_WHERE) {
    PTO_DETAIL_INTRINSIC(vconv_f322f16o, a, b, c, d, e, f, g);
}
inline void vconv_f322bf16r(Address a, Address b, Word c, Word d, Word e, Word f, Word g,
    PTO_DETAIL_WHERE) {
    PTO_DETAIL_INTRINSIC(vconv_f322bf16r, a, b, c, d, e, f, g);
}
inline void vconv_f322bf16a(Address a, Address b, Word c, Word d, Word e, Word f, Word g,
    PTO_DETAIL_WHERE) {
    PTO_DETAIL_INTRINSIC(vconv_f322bf16a, a, b, c, d, e, f, g);
}
inline void vconv_f322bf16f(Address a, Address b, Word c, Word d, Word e, Word f, Word g,
    PTO_DETAIL_WHERE) {
    PTO_DETAIL_INTRINSIC(vconv_f322bf16f, a, b, c, d, e, f, g);
}
inline void vconv_f322bf16c(Address a, Address b, Word c, Word d, Word e, Word f, Word g,
    PTO_DETAIL_WHERE) {
    PTO_DETAIL_INTRINSIC(vconv_f322bf16c, a, b, c, d, e, f, g);
}
inline void vconv_f322bf16z(Address a, Address b, Word c, Word d, Word e, Word f, Word g,
    PTO_DETAIL_WHERE) {
    PTO_DETAIL_INTRINSIC(vconv_f322bf16z, a, b, c, d, e, f, g);
}
inline void vconv_f322f32r(Address a, Address b, Word c, Word d, Word e, Word f, Word g,
    PTO_DETAIL_WHERE) {
    PTO_DETAIL_INTRINSIC(vconv_f322f32r, a, b, c, d, e, f, g);
}
inline void vconv_f322f32a(Address a, Address b, Word c, Word d, Word e, Word f, Word g,
    PTO_DETAIL_WHERE) {
    PTO_DETAIL_INTRINSIC(vconv_f322f32a, a, b, c, d, e, f, g);
}
inline void vconv_f322f32f(Address a, Address b, Word c, Word d, Word e, Word f, Word g,
    PTO_DETAIL_WHERE) {
    PTO_DETAIL_INTRINSIC(vconv_f322f32f, a, b, c, d, e, f, g);
}
inline void vconv_f322f32c(Address a, Address b, Word c, Word d, Word e, Word f, Word g,
    PTO_DETAIL_WHERE) {
    PTO_DETAIL_INTRINSIC(vconv_f322f32c, a, b, c, d, e, f, g);
}
inline void vconv_f322f32z(Address a, Address b, Word c, Word d, Word e, Word f, Word g,
    PTO_DETAIL_WHERE) {
    PTO_DETAIL_INTRINSIC(vconv_f322f32z, a, b, c, d, e, f, g);
}
inline void vconv_f322s64r(Address a, Address b, Word c, Word d, Word e, Word f, Word g,
    PTO_DETAIL_WHERE) {
    PTO_DETAIL_INTRINSIC(vconv_f322s64r, a, b, c, d, e, f, g);
}
inline void vconv_f322s64a(Address a, Address b, Word c, Word d, Word e, Word f, Word g,
    PTO_DETAIL_WHERE) {
    PTO_DETAIL_INTRINSIC(vconv_f322s64a, a, b, c, d, e, f, g);
}
inline void vconv_f322s64f(Address a, Address b, Word c, Word d, Word e, Word f, Word g,
    PTO_DETAIL_WHERE) {
    PTO_DETAIL_INTRINSIC(vconv_f322s64f, a, b, c, d, e, f, g);
}
inline void vconv_f322s64c(Address a, Address b, Word c, Word d, Word e, Word f, Word g,
    PTO_DETAIL_WHERE) {
    PTO_DETAIL_INTRINSIC(vconv_f322s64c, a, b, c, d, e, f, g);
}
inline void vconv_f322s64z(Address a, Address b, Word c, Word d, Word e, Word f, Word g,
    PTO_DETAIL_WHERE) {
    PTO_DETAIL_INTRINSIC(vconv_f322s64z, a, b, c, d, e, f, g);
}
inline void vconv_f322s32r(Address a, Address b, Word c, Word d, Word e, Word f, Word g,
    PTO_DETAIL_WHERE) {
    PTO_DETAIL_INTRINSIC(vconv_f322s32r, a, b, c, d, e, f, g);
}
inline void vconv_f322s32a(Address a, Address b, Word c, Word d, Word e, Word f, Word g,
    PTO_DETAIL_WHERE) {
    PTO_DETAIL_INTRINSIC(vconv_f322s32a, a, b, c, d, e, f, g);
}
inline void vconv_f322s32f(Address a, Address b, Word c, Word d, Word e, Word f, Word g,
    PTO_DETAIL_WHERE) {
    PTO_DETAIL_INTRINSIC(vconv_f322s32f, a, b, c, d, e, f, g);
}
inline void vconv_f322s32c(Address a, Address b, Word c, Word d, Word e, Word f, Word g,
    PTO_DETAIL_WHERE) {
    PTO_DETAIL_INTRINSIC(vconv_f322s32c, a, b, c, d, e, f, g);
}
inline void vconv_f322s32z(Address a, Address b, Word c, Word d, Word e, Word f, Word g,
    PTO_DETAIL_WHERE) {
    PTO_DETAIL_INTRINSIC(vconv_f322s32z, a, b, c, d, e, f, g);
}
inline void vconv_f322s16r(Address a, Address b, Word c, Word d, Word e, Word f, Word g,
    PTO_DETAIL_WHERE) {
    PTO_DETAIL_INTRINSIC(vconv_f322s16r, a, b, c, d, e, f, g);
}
inline void vconv_f322s16a(Address a, Address b, Word c, Word d, Word e, Word f, Word g,
    PTO_DETAIL_WHERE) {
    PTO_DETAIL_INTRINSIC(vconv_f322s16a, a, b, c, d, e, f, g);
}
inline void vconv_f322s16f(Address a, Address b, Word c, Word d, Word e, Word f, Word g,
    PTO_DETAIL_WHERE) {
    PTO_DETAIL_INTRINSIC(vconv_f322s16f, a, b, c, d, e, f, g);
}
inline void vconv_f322s16c(Address a, Address b, Word c, Word d, Word e, Word f, Word g,
    PTO_DETAIL_WHERE) {
    PTO_DETAIL_INTRINSIC(vconv_f322s16c, a, b, c, d, e, f, g);
}
inline void vconv_f322s16z(Address a, Address b, Word c, Word d, Word e, Word f, Word g,
    PTO_DETAIL_WHERE) {
    PTO_DETAIL_INTRINSIC(vconv_f322s16z, a, b, c, d, e, f, g);
}
inline void vconv_f162f32(Address a, Address b, Word c, Word d, Word e, Word f, Word g,
    PTO_DETAIL_WHERE) {
    PTO_DETAIL_INTRINSIC(vconv_f162f32, a, b, c, d, e, f, g);
}
inline void vconv_f162s32r(Address a, Address b, Word c, Word d, Word e, Word f, Word g,
    PTO_DETAIL_WHERE) {
    PTO_DETAIL_INTRINSIC(vconv_f162s32r, a, b, c, d, e, f, g);
}
inline void vconv_f162s32a(Address a, Address b, Word c, Word d, Word e, Word f, Word g,
    PTO_DETAIL_WHERE) {
    PTO_DETAIL_INTRINSIC(vconv_f162s32a, a, b, c, d, e, f, g);
}
inline void vconv_f162s32f(Address a, Address b, Word c, Word d, Word e, Word f, Word g,
    PTO_DETAIL_WHERE) {
    PTO_DETAIL_INTRINSIC(vconv_f162s32f, a, b, c, d, e, f, g);
}
inline void vconv_f162s32c(Address a, Address b, Word c, Word d, Word e, Word f, Word g,
    PTO_DETAIL_WHERE) {
    PTO_DETAIL_INTRINSIC(vconv_f162s32c, a, b, c, d, e, f, g);
}
inline void vconv_f162s32z(Address a, Address b, Word c, Word d, Word e, Word f, Word g,
    PTO_DETAIL_WHERE) {
    PTO_DETAIL_INTRINSIC(vconv_f162s32z, a, b, c, d, e, f, g);
}
inline void vconv_f162s16r(Address a, Address b, Word c, Word d, Word e, Word f, Word g,
    PTO_DETAIL_WHERE) {
    PTO_DETAIL_INTRINSIC(vconv_f162s16r, a, b, c, d, e, f, g);
}
inline void vconv_f162s16a(Address a, Address b, Word c, Word d, Word e, Word f, Word g,
    PTO_DETAIL_WHERE) {
    PTO_DETAIL_INTRINSIC(vconv_f162s16a, a, b, c, d, e, f, g);
}
inline void vconv_f162s16f(Address a, Address b, Word c, Word d, Word e, Word f, Word g,
    PTO_DETAIL_WHERE) {
    PTO_DETAIL_INTRINSIC(vconv_f162s16f, a, b, c, d, e, f, g);
}
inline void vconv_f162s16c(Address a, Address b, Word c, Word d, Word e, Word f, Word g,
    PTO_DETAIL_WHERE) {
    PTO_DETAIL_INTRINSIC(vconv_f162s16c, a, b, c, d, e, f, g);
}
inline void vconv_f162s16z(Address a, Address b, Word c, Word d, Word e, Word f, Word g,
    PTO_DETAIL_WHERE) {
    PTO_DETAIL_INTRINSIC(vconv_f162s16z, a, b, c, d, e, f, g);
}
inline void vconv_f162s8(Address a, Address b, Word c, Word d, Word e, Word f, Word g,
    PTO_DETAIL_WHERE) {
    PTO_DETAIL_INTRINSIC(vconv_f162s8, a, b, c, d, e, f, g);
}
inline void vconv_f162s8r(Address a, Address b, Word c, Word d, Word e, Word f, Word g,
    PTO_DETAIL_WHERE) {
    PTO_DETAIL_INTRINSIC(vconv_f162s8r, a, b, c, d, e, f, g);
}
inline void vconv_f162s8a(Address a, Address b, Word c, Word d, Word e, Word f, Word g,
    PTO_DETAIL_WHERE) {
    PTO_DETAIL_INTRINSIC(vconv_f162s8a, a, b, c, d, e, f, g);
}
inline void vconv_f162s8f(Address a, Address b, Word c, Word d, Word e, Word f, Word g,
    PTO_DETAIL_WHERE) {
    PTO_DETAIL_INTRINSIC(vconv_f162s8f, a, b, c, d, e, f, g);
}
inline void vconv_f162s8c(Address a, Address b, Word c, Word d, Word e, Word f, Word g,
    PTO_DETAIL_WHERE) {
    PTO_DETAIL_INTRINSIC(vconv_f162s8c, a, b, c, d, e, f, g);
}
inline void vconv_f162s8z(Address a, Address b, Word c, Word d, Word e, Word f, Word g,
    PTO_DETAIL_WHERE) {
    PTO_DETAIL_INTRINSIC(vconv_f162s8z, a, b, c, d, e, f, g);
}
inline void vconv_f162u8(Address a, Address b, Word c, Word d, Word e, Word f, Word g,
    PTO_DETAIL_WHERE) {
    PTO_DETAIL_INTRINSIC(vconv_f162u8, a, b, c, d, e, f, g);
}
inline void vconv_f162u8r(Address a, Address b, Word c, Word d, Word e, Word f, Word g,
    PTO_DETAIL_WHERE) {
    PTO_DETAIL_INTRINSIC(vconv_f162u8r, a, b, c, d, e, f, g);
}
inline void vconv_f162u8a(Address a, Address b, Word c, Word d, Word e, Word f, Word g,
    PTO_DETAIL_WHERE) {
    PTO_DETAIL_INTRINSIC(vconv_f162u8a, a, b, c, d, e, f, g);
}
inline void vconv_f162u8f(Address a, Address b, Word c, Word d, Word e, Word f, Word g,
    PTO_DETAIL_WHERE) {
    PTO_DETAIL_INTRINSIC(vconv_f162u8f, a, b, c, d, e, f, g);
}
inline void vconv_f162u8c(Address a, Address b, Word c, Word d, Word e, Word f, Word g,
    PTO_DETAIL_WHERE) {
    PTO_DETAIL_INTRINSIC(vconv_f162u8c, a, b, c, d, e, f, g);
}
inline void vconv_f162u8z(Address a, Address b, Word c, Word d, Word e, Word f, Word g,
    PTO_DETAIL_WHERE) {
    PTO_DETAIL_INTRINSIC(vconv_f162u8z, a, b, c, d, e, f, g);
}
inline void vconv_f162s4(Address a, Address b, Word c, Word d, Word e, Word f, Word g,
    PTO_DETAIL_WHERE) {
    PTO_DETAIL_INTRINSIC(vconv_f162s4, a, b, c, d, e, f, g);
}
inline void vconv_f162s4r(Address a, Address b, Word c, Word d, Word e, Word f, Word g,
    PTO_DETAIL_WHERE) {
    PTO_DETAIL_INTRINSIC(vconv_f162s4r, a, b, c, d, e, f, g);
}
inline void vconv_f162s4a(Address a, Address b, Word c, Word d, Word e, Word f, Word g,
    PTO_DETAIL_WHERE) {
    PTO_DETAIL_INTRINSIC(vconv_f162s4a, a, b, c, d, e, f, g);
}
inline void vconv_f162s4f(Address a, Address b, Word c, Word d, Word e, Word f, Word g,
    PTO_DETAIL_WHERE) {
    PTO_DETAIL_INTRINSIC(vconv_f162s4f, a, b, c, d, e, f, g);
}
inline void vconv_f162s4c(Address a, Address b, Word c, Word d, Word e, Word f, Word g,
    PTO_DETAIL_WHERE) {
    PTO_DETAIL_INTRINSIC(vconv_f162s4c, a, b, c, d, e, f, g);
}
inline void vconv_f162s4z(Address a, Address b, Word c, Word d, Word e, Word f, Word g,
    PTO_DETAIL_WHERE) {
    PTO_DETAIL_INTRINSIC(vconv_f162s4z, a, b, c, d, e, f, g);
}
inline void vconv_bf162f32(Address a, Address b, Word c, Word d, Word e, Word f, Word g,
    PTO_DETAIL_WHERE) {
    PTO_DETAIL_INTRINSIC(vconv_bf162f32, a, b, c, d, e, f, g);
}
inline void vconv_bf162s32r(Address a, Address b, Word c, Word d, Word e, Word f, Word g,
    PTO_DETAIL_WHERE) {
    PTO_DETAIL_INTRINSIC(vconv_bf162s32r, a, b, c, d, e, f, g);
}
inline void vconv_bf162s32a(Address a, Address b, Word c, Word d, Word e, Word f, Word g,
    PTO_DETAIL_WHERE) {
    PTO_DETAIL_INTRINSIC(vconv_bf162s32a, a, b, c, d, e, f, g);
}
inline void vconv_bf162s32f(Address a, Address b, Word c, Word d, Word e, Word f, Word g,
    PTO_DETAIL_WHERE) {
    PTO_DETAIL_INTRINSIC(vconv_bf162s32f, a, b, c, d, e, f, g);
}
inline void vconv_bf162s32c(Address a, Address b, Word c, Word d, Word e, Word f, Word g,
    PTO_DETAIL_WHERE) {
    PTO_DETAIL_INTRINSIC(vconv_bf162s32c, a, b, c, d, e, f, g);
}
inline void vconv_bf162s32z(Address a, Address b, Word c, Word d, Word e, Word f, Word g,
    PTO_DETAIL_WHERE) {
    PTO_DETAIL_INTRINSIC(vconv_bf162s32z, a, b, c, d, e, f, g);
}
inline void vconv_s42f16(Address a, Address b, Word c, Word d, Word e, Word f, Word g,
    PTO_DETAIL_WHERE) {
    PTO_DETAIL_INTRINSIC(vconv_s42f16, a, b, c, d, e, f, g);
}
inline void vconv_s82f16(Address a, Address b, Word c, Word d, Word e, Word f, Word g,
    PTO_DETAIL_WHERE) {
    PTO_DETAIL_INTRINSIC(vconv_s82f16, a, b, c, d, e, f, g);
}
inline void vconv_u82f16(Address a, Address b, Word c, Word d, Word e, Word f, Word g,
    PTO_DETAIL_WHERE) {
    PTO_DETAIL_INTRINSIC(vconv_u82f16, a, b, c, d, e, f, g);
}
inline void vconv_s162f16(Address a, Address b, Word c, Word d, Word e, Word f, Word g,
    PTO_DETAIL_WHERE) {
    PTO_DETAIL_INTRINSIC(vconv_s162f16, a, b, c, d, e, f, g);
}
inline void vconv_s162f16r(Address a, Address b, Word c, Word d, Word e, Word f, Word g,
    PTO_DETAIL_WHERE) {
    PTO_DETAIL_INTRINSIC(vconv_s162f16r, a, b, c, d, e, f, g);
}
inline void vconv_s162f16a(Address a, Address b, Word c, Word d, Word e, Word f, Word g,
    PTO_DETAIL_WHERE) {
    PTO_DETAIL_INTRINSIC(vconv_s162f16a, a, b, c, d, e, f, g);
}
inline void vconv_s162f16f(Address a, Address b, Word c, Word d, Word e, Word f, Word g,
    PTO_DETAIL_WHERE) {
    PTO_DETAIL_INTRINSIC(vconv_s162f16f, a, b, c, d, e, f, g);
}
inline void vconv_s162f16c(Address a, Address b, Word c, Word d, Word e, Word f, Word g,
    PTO_DETAIL_WHERE) {
    PTO_DETAIL_INTRINSIC(vconv_s162f16c, a, b, c, d, e, f, g);
}
inline void vconv_s162f16z(Address a, Address b, Word c, Word d, Word e, Word f, Word g,
    PTO_DETAIL_WHERE) {
    PTO_DETAIL_INTRINSIC(vconv_s162f16z, a, b, c, d, e, f, g);
}
inline void vconv_s162f32(Address a, Address b, Word c, Word d, Word e, Word f, Word g,
    PTO_DETAIL_WHERE) {
    PTO_DETAIL_INTRINSIC(vconv_s162f32, a, b, c, d, e, f, g);
}
inline void vconv_s322f32(Address a, Address b, Word c, Word d, Word e, Word f, Word g,
    PTO_DETAIL_WHERE) {
    PTO_DETAIL_INTRINSIC(vconv_s322f32, a, b, c, d, e, f, g);
}
inline void vconv_s322f32r(Address a, Address b, Word c, Word d, Word e, Word f, Word g,
    PTO_DETAIL_WHERE) {
    PTO_DETAIL_INTRINSIC(vconv_s322f32r, a, b, c, d, e, f, g);
}
inline void vconv_s322f32a(Address a, Address b, Word c, Word d, Word e, Word f, Word g,
    PTO_DETAIL_WHERE) {
    PTO_DETAIL_INTRINSIC(vconv_s322f32a, a, b, c, d, e, f, g);
}
inline void vconv_s322f32f(Address a, Address b, Word c, Word d, Word e, Word f, Word g,
    PTO_DETAIL_WHERE) {
    PTO_DETAIL_INTRINSIC(vconv_s322f32f, a, b, c, d, e, f, g);
}
inline void vconv_s322f32c(Address a, Address b, Word c, Word d, Word e, Word f, Word g,
    PTO_DETAIL_WHERE) {
    PTO_DETAIL_INTRINSIC(vconv_s322f32c, a, b, c, d, e, f, g);
}
inline void vconv_s322f32z(Address a, Address b, Word c, Word d, Word e, Word f, Word g,
    PTO_DETAIL_WHERE) {
    PTO_DETAIL_INTRINSIC(vconv_s322f32z, a, b, c, d, e, f, g);
}
inline void vconv_s322s64(Address a, Address b, Word c, Word d, Word e, Word f, Word g,
    PTO_DETAIL_WHERE) {
    PTO_DETAIL_INTRINSIC(vconv_s322s64, a, b, c, d, e, f, g);
}
inline void vconv_s322s16(Address a, Address b, Word c, Word d, Word e, Word f, Word g,
    PTO_DETAIL_WHERE) {
    PTO_DETAIL_INTRINSIC(vconv_s322s16, a, b, c, d, e, f, g);
}
inline void vconv_s642f32r(Address a, Address b, Word c, Word d, Word e, Word f, Word g,
    PTO_DETAIL_WHERE) {
    PTO_DETAIL_INTRINSIC(vconv_s642f32r, a, b, c, d, e, f, g);
}
inline void vconv_s642f32a(Address a, Address b, Word c, Word d, Word e, Word f, Word g,
    PTO_DETAIL_WHERE) {
    PTO_DETAIL_INTRINSIC(vconv_s642f32a, a, b, c, d, e, f, g);
}
inline void vconv_s642f32f(Address a, Address b, Word c, Word d, Word e, Word f, Word g,
    PTO_DETAIL_WHERE) {
    PTO_DETAIL_INTRINSIC(vconv_s642f32f, a, b, c, d, e, f, g);
}
inline void vconv_s642f32c(Address a, Address b, Word c, Word d, Word e, Word f, Word g,
    PTO_DETAIL_WHERE) {
    PTO_DETAIL_INTRINSIC(vconv_s642f32c, a, b, c, d, e, f, g);
}
inline void vconv_s642f32z(Address a, Address b, Word c, Word d, Word e, Word f, Word g,
    PTO_DETAIL_WHERE) {
    PTO_DETAIL_INTRINSIC(vconv_s642f32z, a, b, c, d, e, f, g);
}
inline void vconv_s642s32(Address a, Address b, Word c, Word d, Word e, Word f, Word g,
    PTO_DETAIL_WHERE) {
    PTO_DETAIL_INTRINSIC(vconv_s642s32, a, b, c, d, e, f, g);
}
inline void vconv_deq(Address a, Address b, Word c, Word d, Word e, Word f, Word g,
    PTO_DETAIL_WHERE) {
    PTO_DETAIL_INTRINSIC(vconv_deq, a, b, c, d, e, f, g);
}
inline void vconv_deqs162b8h(Address a, Address b, Word c, Word d, Word e, Word f, Word g,
    PTO_DETAIL_WHERE) {
    PTO_DETAIL_INTRINSIC(vconv_deqs162b8h, a, b, c, d, e, f, g);
}
inline void vconv_deqs162b8l(Address a, Address b, Word c, Word d, Word e, Word f, Word g,
    PTO_DETAIL_WHERE) {
    PTO_DETAIL_INTRINSIC(vconv_deqs162b8l, a, b, c, d, e, f, g);
}
inline void vconv_vdeqs162b8h(Address a, Address b, Word c, Word d, Word e, Word f, Word g,
    PTO_DETAIL_WHERE) {
    PTO_DETAIL_INTRINSIC(vconv_vdeqs162b8h, a, b, c, d, e, f, g);
}
inline void vconv_vdeqs162b8l(Address a, Address b, Word c, Word d, Word e, Word f, Word g,
    PTO_DETAIL_WHERE) {
    PTO_DETAIL_INTRINSIC(vconv_vdeqs162b8l, a, b, c, d, e, f, g);
}
inline void vaddreluconv_f322f16(Address a, Address b, Address c, Word d, Word e, Word f, Word g,
    Word h, Word i, Word j, Word k = 0, PTO_DETAIL_WHERE) {
    PTO_DETAIL_INTRINSIC(vaddreluconv_f322f16, a, b, c, d, e, f, g, h, i, j, k);
}
inline void vaddreluconv_f162s8(Address a, Address b, Address c, Word d, Word e, Word f, Word g,
    Word h, Word i, Word j, Word k = 0, PTO_DETAIL_WHERE) {
    PTO_DETAIL_INTRINSIC(vaddreluconv_f162s8, a, b, c, d, e, f, g, h, i, j, k);
}
inline void vaddreluconv_s162s8(Address a, Address b, Address c, Word d, Word e, Word f, Word g,
    Word h, Word i, Word j, Word k = 0, PTO_DETAIL_WHERE) {
    PTO_DETAIL_INTRINSIC(vaddreluconv_s162s8, a, b, c, d, e, f, g, h, i, j, k);
}
inline void vsubreluconv_f322f16(Address a, Address b, Address c, Word d, Word e, Word f, Word g,
    Word h, Word i, Word j, Word k = 0, PTO_DETAIL_WHERE) {
    PTO_DETAIL_INTRINSIC(vsubreluconv_f322f16, a, b, c, d, e, f, g, h, i, j, k);
}
inline void vsubreluconv_f162s8(Address a, Address b, Address c, Word d, Word e, Word f, Word g,
    Word h, Word i, Word j, Word k = 0, PTO_DETAIL_WHERE) {
    PTO_DETAIL_INTRINSIC(vsubreluconv_f162s8, a, b, c, d, e, f, g, h, i, j, k);
}
inline void vsubreluconv_s162s8(Address a, Address b, Address c, Word d, Word e, Word f, Word g,
    Word h, Word i, Word j, Word k = 0, PTO_DETAIL_WHERE) {
    PTO_DETAIL_INTRINSIC(vsubreluconv_s162s8, a, b, c, d, e, f, g, h, i, j, k);
}
inline void vmulconv_f162s8(Address a, Address b, Address c, Word d, Word e, Word f, Word g, Word h,
    Word i, Word j, PTO_DETAIL_WHERE) {
    PTO_DETAIL_INTRINSIC(vmulconv_f162s8, a, b, c, d, e, f, g, h, i, j);
}
inline void vmulconv_f162u8(Address a, Address b, Address c, Word d, Word e, Word f, Word g, Word h,
    Word i, Word j, PTO_DETAIL_WHERE) {
    PTO_DETAIL_INTRINSIC(vmulconv_f162u8, a, b, c, d, e, f, g, h, i, j);
}
inline void vcadd(Address a, Address b, Word c, Word d, Word e, Word f, Word g = 0,
    PTO_DETAIL_WHERE) {
    PTO_DETAIL_INTRINSIC(vcadd, a, b, c, d, e, f, g);
}
inline void vcmax(Address a, Address b, Word c, Word d, Word e, Word f, Word g = 0,
    PTO_DETAIL_WHERE) {
    PTO_DETAIL_INTRINSIC(vcmax, a, b, c, d, e, f, g);
}
inline void vcmin(Address a, Address b, Word c, Word d, Word e, Word f, Word g = 0,
    PTO_DETAIL_WHERE) {
    PTO_DETAIL_INTRINSIC(vcmin, a, b, c, d, e, f, g);
}
inline void vcgadd(Address a, Address b, Word c, Word d, Word e, Word f, PTO_DETAIL_WHERE) {
    PTO_DETAIL_INTRINSIC(vcgadd, a, b, c, d, e, f);
}
inline void vcgmax(Address a, Address b, Word c, Word d, Word e, Word f, PTO_DETAIL_WHERE) {
    PTO_DETAIL_INTRINSIC(vcgmax, a, b, c, d, e, f);
}
inline void vcgmin(Address a, Address b, Word c, Word d, Word e, Word f, PTO_DETAIL_WHERE) {
    PTO_DETAIL_INTRINSIC(vcgmin, a, b, c, d, e, f);
}
inline void vcpadd(Address a, Address b, Word c, Word d, Word e, Word f, PTO_DETAIL_WHERE) {
    PTO_DETAIL_INTRINSIC(vcpadd, a, b, c, d, e, f);
}
inline void vcmp_eq(Address a, Address b, Word c, Word d, Word e, Word f, Word g, Word h, Word i,
    PTO_DETAIL_WHERE) {
    PTO_DETAIL_INTRINSIC(vcmp_eq, a, b, c, d, e, f, g, h, i);
}
inline void vcmp_ne(Address a, Address b, Word c, Word d, Word e, Word f, Word g, Word h, Word i,
    PTO_DETAIL_WHERE) {
    PTO_DETAIL_INTRINSIC(vcmp_ne, a, b, c, d, e, f, g, h, i);
}
inline void vcmp_lt(Address a, Address b, Word c, Word d, Word e, Word f, Word g, Word h, Word i,
    PTO_DETAIL_WHERE) {
    PTO_DETAIL_INTRINSIC(vcmp_lt, a, b, c, d, e, f, g, h, i);
}
inline void vcmp_le(Address a, Address b, Word c, Word d, Word e, Word f, Word g, Word h, Word i,
    PTO_DETAIL_WHERE) {
    PTO_DETAIL_INTRINSIC(vcmp_le, a, b, c, d, e, f, g, h, i);
}
inline void vcmp_gt(Address a, Address b, Word c, Word d, Word e, Word f, Word g, Word h, Word i,
    PTO_DETAIL_WHERE) {
    PTO_DETAIL_INTRINSIC(vcmp_gt, a, b, c, d, e, f, g, h, i);
}
inline void vcmp_ge(Address a, Address b, Word c, Word d, Word e, Word f, Word g, Word h, Word i,
    PTO_DETAIL_WHERE) {
    PTO_DETAIL_INTRINSIC(vcmp_ge, a, b, c, d, e, f, g, h, i);
}
inline void vcmpv_eq(Address a, Address b, Address c, Word d, Word e, Word f, Word g, Word h, Word i,
    Word j, PTO_DETAIL_WHERE) {
    PTO_DETAIL_INTRINSIC(vcmpv_eq, a, b, c, d, e, f, g, h, i, j);
}
inline void vcmpv_ne(Address a, Address b, Address c, Word d, Word e, Word f, Word g, Word h, Word i,
    Word j, PTO_DETAIL_WHERE) {
    PTO_DETAIL_INTRINSIC(vcmpv_ne, a, b, c, d, e, f, g, h, i, j);
}
inline void vcmpv_lt(Address a, Address b, Address c, Word d, Word e, Word f, Word g, Word h, Word i,
    Word j, PTO_DETAIL_WHERE) {
    PTO_DETAIL_INTRINSIC(vcmpv_lt, a, b, c, d, e, f, g, h, i, j);
}
inline void vcmpv_le(Address a, Address b, Address c, Word d, Word e, Word f, Word g, Word h, Word i,
    Word j, PTO_DETAIL_WHERE) {
    PTO_DETAIL_INTRINSIC(vcmpv_le, a, b, c, d, e, f, g, h, i, j);
}
inline void vcmpv_gt(Address a, Address b, Address c, Word d, Word e, Word f, Word g, Word h, Word i,
    Word j, PTO_DETAIL_WHERE) {
    PTO_DETAIL_INTRINSIC(vcmpv_gt, a, b, c, d, e, f, g, h, i, j);
}
inline void vcmpv_ge(Address a, Address b, Address c, Word d, Word e, Word f, Word g, Word h, Word i,
    Word j, PTO_DETAIL_WHERE) {
    PTO_DETAIL_INTRINSIC(vcmpv_ge, a, b, c, d, e, f, g, h, i, j);
}
inline void vcmpvs_eq(Address a, Address b, Scalar c, Word d, Word e, Word f, Word g, Word h,
    PTO_DETAIL_WHERE) {
    PTO_DETAIL_INTRINSIC(vcmpvs_eq, a, b, c, d, e, f, g, h);
}
inline void vcmpvs_ne(Address a, Address b, Scalar c, Word d, Word e, Word f, Word g, Word h,
    PTO_DETAIL_WHERE) {
    PTO_DETAIL_INTRINSIC(vcmpvs_ne, a, b, c, d, e, f, g, h);
}
inline void vcmpvs_lt(Address a, Address b, Scalar c, Word d, Word e, Word f, Word g, Word h,
    PTO_DETAIL_WHERE) {
    PTO_DETAIL_INTRINSIC(vcmpvs_lt, a, b, c, d, e, f, g, h);
}
inline void vcmpvs_le(Address a, Address b, Scalar c, Word d, Word e, Word f, Word g, Word h,
    PTO_DETAIL_WHERE) {
    PTO_DETAIL_INTRINSIC(vcmpvs_le, a, b, c, d, e, f, g, h);
}
inline void vcmpvs_gt(Address a, Address b, Scalar c, Word d, Word e, Word f, Word g, Word h,
    PTO_DETAIL_WHERE) {
    PTO_DETAIL_INTRINSIC(vcmpvs_gt, a, b, c, d, e, f, g, h);
}
inline void vcmpvs_ge(Address a, Address b, Scalar c, Word d, Word e, Word f, Word g, Word h,
    PTO_DETAIL_WHERE) {
    PTO_DETAIL_INTRINSIC(vcmpvs_ge, a, b, c, d, e, f, g, h);
}
inline void vsel(Address a, Address b, Address c, Word d, Word e, Word f, Word g, Word h, Word i,
    Word j, Word k = 0, PTO_DETAIL_WHERE) {
    PTO_DETAIL_INTRINSIC(vsel, a, b, c, d, e, f, g, h, i, j, k);
}
inline void set_cmpmask(Address a, PTO_DETAIL_WHERE) {
    PTO_DETAIL_INTRINSIC(set_cmpmask, a);
}
inline void get_cmpmask(Address a, PTO_DETAIL_WHERE) {
    PTO_DETAIL_INTRINSIC(get_cmpmask, a);
}
inline void vector_dup(Address a, Scalar b, Word c, Word d, Word e, Word f, Word g = 0,
    PTO_DETAIL_WHERE) {
    PTO_DETAIL_INTRINSIC(vector_dup, a, b, c, d, e, f, g);
}
inline void vcopy(Address a, Address b, Word c, Word d, Word e, Word f, Word g, PTO_DETAIL_WHERE) {
    PTO_DETAIL_INTRINSIC(vcopy, a, b, c, d, e, f, g);
}
inline void vbrcb(Address a, Address b, Word c, Word d, Word e, PTO_DETAIL_WHERE) {
    PTO_DETAIL_INTRINSIC(vbrcb, a, b, c, d, e);
}
inline void vgather(Address a, Address b, Word c, Word d, Word e, PTO_DETAIL_WHERE) {
    PTO_DETAIL_INTRINSIC(vgather, a, b, c, d, e);
}
inline void vgatherb(Address a, Address b, Word c, Word d, Word e, Word f, PTO_DETAIL_WHERE) {
    PTO_DETAIL_INTRINSIC(vgatherb, a, b, c, d, e, f);
}
inline void vreducev2(Address a, Address b, Address c, Word d, Word e, Word f, Word g, Word h,
    PTO_DETAIL_WHERE) {
    PTO_DETAIL_INTRINSIC(vreducev2, a, b, c, d, e, f, g, h);
}
inline void vtranspose(Address a, Address b, PTO_DETAIL_WHERE) {
    PTO_DETAIL_INTRINSIC(vtranspose, a, b);
}
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
#else
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
using namespace ::pto::ptosim_detail::intrinsics;
