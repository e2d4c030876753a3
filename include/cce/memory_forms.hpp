// Vector intrinsics of the a2a3, whose operands are in UB, for sources compiled for another architecture: a call is
// an error of the compiler, unless it is in a function that nothing calls.
#pragma once

enum ub_addr8_t { VA0, VA1, VA2, VA3, VA4, VA5, VA6, VA7 };

#define PTO_DETAIL_MEMORY_FORM(Name_)                                                                  \
    template <class T_, class... Arguments_>                                                           \
    __attribute__((error(#Name_ " of operands in UB is an intrinsic of the a2a3 alone"))) void Name_( \
        T_*, Arguments_&&...);
#define PTO_DETAIL_MEMORY_FORMS(X)                                                                              \
    X(set_cmpmask) X(vabs) X(vadd) X(vadds) X(vbrcb) X(vcadd) X(vcmpv_eq) X(vconv_f162f32) X(vconv_f162s8)         \
    X(vconv_f162u8) X(vconv_f322f16) X(vconv_f322s32r) X(vconv_f322s32z) X(vconv_s322f32) X(vconv_s82f16)       \
    X(vconv_u82f16) X(vcopy) X(vector_dup) X(vmin) X(vmins) X(vmuls) X(vreducev2) X(vsel) X(vsub)
PTO_DETAIL_MEMORY_FORMS(PTO_DETAIL_MEMORY_FORM)
template <class T_>
__attribute__((error("set_va_reg_sb is an intrinsic of the a2a3 alone"))) void set_va_reg_sb(ub_addr8_t, T_*);
#undef PTO_DETAIL_MEMORY_FORMS
#undef PTO_DETAIL_MEMORY_FORM
