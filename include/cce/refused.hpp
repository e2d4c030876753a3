// Intrinsics that libraries of kernels name in functions which are no templates, and which the
// simulator does not have: a call ends the kernel with an error that names them.
#pragma once

#include "cce/kernel_call.hpp"

#define PTO_DETAIL_REFUSED(Name_)                                                     \
    template <class... Arguments_>                                                    \
    int64_t Name_(const Arguments_&...) {                                             \
        ptosim_trap(#Name_ " is an intrinsic that ptosim does not simulate", {nullptr, 0}); \
    }
// Image preprocessing, sparse products, 4-bit windows, flags that the hardware orders.
#define PTO_DETAIL_REFUSED_INTRINSICS(X)                                                         \
    X(set_aipp_spr_0) X(set_aipp_spr_1) X(set_aipp_spr_2) X(set_aipp_spr_3) X(set_aipp_spr_4)      \
    X(set_aipp_spr_5) X(set_aipp_spr_6) X(set_aipp_spr_7) X(set_aipp_spr_8) X(set_aipp_spr_9)      \
    X(set_aipp_spr_18) X(set_aipp_spr_19) X(set_aipp_spr_20) X(set_aipp_spr_21)                    \
    X(set_data_exp_0) X(set_data_exp_1) X(set_data_exp_2) X(set_data_exp_3)                        \
    X(mad_sp) X(load_cbuf_to_cb_sp)                                       \
    X(load_gm_to_ca_s4) X(load_gm_to_cb_s4) X(copy_matrix_cbuf_to_cc)                     \
    X(copy_matrix_cc_to_cbuf_b4) X(vreduce) X(get_overflow_status) X(get_smmu_tag_ver)             \
    X(get_stack_phy_base) X(get_status) X(get_sys_va_base)                                         \
    X(vld_va_reg) X(get_arch_ver) X(hset_flag) X(hwait_flag) X(load_image_to_cbuf)
// Refused on C310: moves of predicates, transposes and conversions of 4 bits in registers.
#define PTO_DETAIL_REFUSED_OF_C310(X)                                                              \
    X(set_aipp_spr_9)                                                                              \
    X(set_aipp_spr_18)                                                                             \
    X(set_aipp_spr_19)                                                                             \
    X(set_aipp_spr_20) X(set_aipp_spr_21) X(hset_flag) X(hwait_flag) X(get_shmem_sz)               \
        X(get_arch_ver) X(set_mte2_src_para) X(vtranspose) X(vcvt_s42f16) X(vcvt_s42bf16)          \
            X(vcvt_s42s16) X(vcvt_s162s4) X(vcvt_f162s4) X(movvp) X(ldva) X(scatter_vnchwconv_b8)  \
                X(scatter_vnchwconv_b16) X(scatter_vnchwconv_b32) X(load_gm_to_ca)                 \
                    X(load_gm_to_cb) X(load_cbuf_to_ca_transpose) X(load_cbuf_to_cb_transpose_s4)  \
                        X(img2colv2_cbuf_to_cb) X(load_gm_to_cbuf_2dv2) X(load_gm_to_cbuf_2dv2_s4) \
                            X(dci) X(copy_matrix_cc_to_ub_s4) X(copy_matrix_cc_to_gm_s4)           \
                                X(copy_matrix_cc_to_cbuf_s4) X(set_relu_alpha) X(set_quant_post)   \
                                    X(set_pad_val_outtoub) X(get_sys_va_base) X(get_status)        \
                                        X(get_stack_phy_base) X(get_smmu_tag_ver)                  \
                                            X(create_cbuf_matrix_ui) X(create_cbuf_matrix_h)       \
                                                X(copy_gm_to_cbuf_v2)
#ifdef PTO_NPU_ARCH_A2A3
PTO_DETAIL_REFUSED_INTRINSICS(PTO_DETAIL_REFUSED)
#elif defined(__NPU_DEVICE__) || defined(__NPU_HOST__)
PTO_DETAIL_REFUSED_OF_C310(PTO_DETAIL_REFUSED)
#endif
#undef PTO_DETAIL_REFUSED_OF_C310
#undef PTO_DETAIL_REFUSED_INTRINSICS
#undef PTO_DETAIL_REFUSED
// Their enumerations.
enum mem_t : int {};
enum va_half_t { L128, H128 };
