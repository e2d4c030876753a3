// Intrinsics below the level of tiles that the simulator does not have: a call is an error
// of the compiler that names them, unless it is in a template that is not instantiated.
#pragma once

#include "pto/common/arch_macro.hpp"

namespace pto::ptosim_detail {
template <class...>
inline constexpr bool kSupported = false;
}

#define PTO_DETAIL_UNSUPPORTED(Name_)                                                         \
    template <class... Arguments>                                                             \
    void Name_(Arguments&&...) {                                                              \
        static_assert(pto::ptosim_detail::kSupported<Arguments...>,                           \
                      #Name_ " works below the level of tiles: ptosim does not simulate it"); \
    }
// What only the a5 has.
#ifdef PTO_NPU_ARCH_A2A3
#define PTO_DETAIL_A5_ONLY(Name_)                                                   \
    template <class... Arguments>                                                   \
    void Name_(Arguments&&...) {                                                    \
        static_assert(pto::ptosim_detail::kSupported<Arguments...>,                 \
                      #Name_ " is an intrinsic of the a5: compile with --arch a5"); \
    }
PTO_DETAIL_A5_ONLY(set_intra_block)
PTO_DETAIL_A5_ONLY(wait_intra_block)
PTO_DETAIL_A5_ONLY(get_buf)
PTO_DETAIL_A5_ONLY(rls_buf)
#undef PTO_DETAIL_A5_ONLY
#endif

// Vectors in UB, by repeats and masks: instructions of a2a3. On a5 most of these names are operations on
// vector registers (vector_registers.hpp).
#define PTO_DETAIL_REPEAT_INTRINSICS(X)                                                            \
    X(vadd) X(vsub) X(vmul) X(vdiv) X(vmax) X(vmin) X(vmadd) X(vmla) X(vaxpy) X(vadds) X(vmuls)    \
        X(vmaxs) X(vmins) X(vrelu) X(vlrelu) X(vabs) X(vexp) X(vln) X(vsqrt) X(vrsqrt) X(vrec)     \
            X(vnot) X(vand) X(vor) X(vshl) X(vshr) X(vcadd) X(vcmax) X(vcmin) X(vcgadd) X(vcgmax)  \
                X(vcgmin) X(vcpadd) X(vreducev2) X(vbrcb) X(vgather) X(vgatherb) X(vcmpv_eq)       \
                    X(vcmpv_ne) X(vcmpv_lt) X(vcmpv_le) X(vcmpv_gt) X(vcmpv_ge) X(vsel) X(vcopy)   \
                        X(vconv_f162f32) X(vconv_f322f16) X(vconv_f322bf16) X(vconv_bf162f32)      \
                            X(vconv_s322f32) X(SetContinuousMask)
// Those that both have.
#define PTO_DETAIL_VECTOR_INTRINSICS(X)                                               \
    X(vmrgsort4) X(vbitsort) X(scatter_vnchwconv_b8) X(scatter_vnchwconv_b16) \
        X(scatter_vnchwconv_b32)
// The cube core, and transfers between its memories.
#define PTO_DETAIL_CUBE_INTRINSICS(X)                                                              \
    X(mad)                                                                                         \
    X(mad_mx)                                                                                      \
    X(load_cbuf_to_ca)                                                                             \
    X(load_cbuf_to_cb)                                                                             \
    X(load_cbuf_to_ca_mx)                                                                          \
    X(load_cbuf_to_cb_mx)                                                                          \
    X(load_gm_to_ca)                                                                               \
    X(load_gm_to_cb) X(img2colv2_cbuf_to_ca) X(img2colv2_cbuf_to_cb) X(copy_cbuf_to_bt)            \
        X(copy_cbuf_to_fbuf) X(copy_matrix_cc_to_cbuf) X(copy_matrix_cc_to_ub) X(copy_gm_to_cbuf)  \
            X(copy_gm_to_cbuf_multi_nd2nz_b8) X(copy_gm_to_cbuf_multi_nd2nz_b16)                   \
                X(copy_gm_to_cbuf_multi_nd2nz_b32s) X(set_fmatrix) X(set_fmatrix_b) X(set_l3d_rpt) \
                    X(set_fpc) X(set_quant_pre) X(copy_sram_to_neighbor_sram)                      \
                        X(copy_neighbor_sram_to_sram)

#ifdef PTO_NPU_ARCH_A2A3
PTO_DETAIL_REPEAT_INTRINSICS(PTO_DETAIL_UNSUPPORTED)
#endif
PTO_DETAIL_VECTOR_INTRINSICS(PTO_DETAIL_UNSUPPORTED)
PTO_DETAIL_CUBE_INTRINSICS(PTO_DETAIL_UNSUPPORTED)
#undef PTO_DETAIL_VECTOR_INTRINSICS
#undef PTO_DETAIL_REPEAT_INTRINSICS
#undef PTO_DETAIL_CUBE_INTRINSICS
#undef PTO_DETAIL_UNSUPPORTED

#ifdef PTO_NPU_ARCH_A5
#define __simt_vf__ \
    _Pragma("GCC error \"__simt_vf__: SIMT functions are below the level of tiles, ptosim does not simulate them\"")
#define LAUNCH_BOUND(threads)
#endif
