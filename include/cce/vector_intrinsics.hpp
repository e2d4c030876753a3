// Vector intrinsics without a conversion, made from their rows in isa/intrinsics/ by scripts/regenerate.sh; do not edit.
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
#endif

}  // namespace pto::ptosim_detail::intrinsics
