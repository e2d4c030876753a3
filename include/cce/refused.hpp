// Intrinsics of a2a3 that libraries of kernels name in functions which are no templates, and which the
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
#ifdef PTO_NPU_ARCH_A2A3
PTO_DETAIL_REFUSED_INTRINSICS(PTO_DETAIL_REFUSED)
#endif
#undef PTO_DETAIL_REFUSED_INTRINSICS
#undef PTO_DETAIL_REFUSED
// Their enumerations.
enum mem_t : int {};
enum va_half_t { L128, H128 };
