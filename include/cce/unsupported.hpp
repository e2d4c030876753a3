// Intrinsics below the level of tiles that the simulator does not have: a call is an error
// of the compiler that names them, unless it is in a template that is not instantiated.
#pragma once

#include "cce/arch.hpp"

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
// Unsupported on a2a3: exists only on a5.
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

#define PTO_DETAIL_UNSUPPORTED_OF_BOTH(X) X(copy_sram_to_neighbor_sram) X(copy_neighbor_sram_to_sram)
// Transposes of vectors in UB, windows of feature maps to L0B, loads from global memory to L0: of a2a3 alone here.
#if !defined(__NPU_DEVICE__) && !defined(__NPU_HOST__)
#define PTO_DETAIL_UNSUPPORTED_OF_A5(X)                                                       \
    X(scatter_vnchwconv_b8) X(scatter_vnchwconv_b16) X(scatter_vnchwconv_b32) X(load_gm_to_ca) \
    X(load_gm_to_cb) X(load_cbuf_to_ca_transpose)                                              \
    X(img2colv2_cbuf_to_cb)
#else
#define PTO_DETAIL_UNSUPPORTED_OF_A5(X)  // cce/refused.hpp
#endif
// Unsupported next to the tile headers: most of a5's intrinsics come with a library's headers (cce/c310_intrinsics.hpp).
#define PTO_DETAIL_UNSUPPORTED_BESIDE_TILES(X)                                                \
    X(vmrgsort4) X(vbitsort) X(create_ca_matrix) X(create_cb_matrix)                          \
    X(img2colv2_cbuf_to_ca) X(copy_matrix_cc_to_cbuf) X(copy_matrix_cc_to_ub)                 \
    X(copy_cbuf_to_bt) X(copy_cbuf_to_fbuf) X(copy_gm_to_cbuf_multi_nd2nz_b8)                 \
    X(copy_gm_to_cbuf_multi_nd2nz_b16) X(copy_gm_to_cbuf_multi_nd2nz_b32s)
// Operations of the cube core that only the a5 has.
#define PTO_DETAIL_UNSUPPORTED_OF_A2A3(X) \
    X(mad_mx) X(load_cbuf_to_ca_mx) X(load_cbuf_to_cb_mx) X(copy_matrix_cc_to_ub)

PTO_DETAIL_UNSUPPORTED_OF_BOTH(PTO_DETAIL_UNSUPPORTED)
#ifdef PTO_NPU_ARCH_A2A3
PTO_DETAIL_UNSUPPORTED_OF_A2A3(PTO_DETAIL_UNSUPPORTED)
#else
PTO_DETAIL_UNSUPPORTED_OF_A5(PTO_DETAIL_UNSUPPORTED)
#ifndef PTOSIM_ADDRESS_SPACES
PTO_DETAIL_UNSUPPORTED_BESIDE_TILES(PTO_DETAIL_UNSUPPORTED)
#endif
#endif
#undef PTO_DETAIL_UNSUPPORTED_OF_BOTH
#undef PTO_DETAIL_UNSUPPORTED_OF_A5
#undef PTO_DETAIL_UNSUPPORTED_BESIDE_TILES
#undef PTO_DETAIL_UNSUPPORTED_OF_A2A3
#undef PTO_DETAIL_UNSUPPORTED

// Functions of threads: cce/simt.hpp.
#ifdef PTO_NPU_ARCH_A5
#define __simt_vf__ __ptosim_simt_vf__  // sim/compile/rewrite.h
#ifndef __simt_callee__
#define __simt_callee__
#endif
#define LAUNCH_BOUND(threads) __launch_bounds__(threads)
#else
// clang-format off
#define __simt_vf__ \
    _Pragma("GCC error \"__simt_vf__: vector cores of a2a3 run no threads; choose a chip of the 950 (--chip ascend950pr)\"")
// clang-format on
#define LAUNCH_BOUND(threads)
#endif
