// Vector intrinsics that convert, made from their rows in isa/intrinsics/ by scripts/regenerate.sh; do not edit.
#pragma once

#include "cce/intrinsic_call.hpp"

namespace pto::ptosim_detail::intrinsics {

#ifdef PTO_NPU_ARCH_A2A3
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
#endif

}  // namespace pto::ptosim_detail::intrinsics
