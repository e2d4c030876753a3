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

// Vectors in UB, of a5: a2a3 has them (cce/intrinsics.hpp).
#define PTO_DETAIL_VECTOR_INTRINSICS(X)                                               \
    X(vmrgsort4) X(vbitsort) X(scatter_vnchwconv_b8) X(scatter_vnchwconv_b16) \
        X(scatter_vnchwconv_b32)
// The cube core, and transfers between its memories.
#define PTO_DETAIL_CUBE_INTRINSICS(X) X(mad_mx) X(load_cbuf_to_ca_mx) X(load_cbuf_to_cb_mx) \
    X(copy_matrix_cc_to_ub) X(copy_sram_to_neighbor_sram) \
    X(copy_neighbor_sram_to_sram)
// Those of them that a2a3 has (cce/intrinsics.hpp).
#define PTO_DETAIL_CUBE_INTRINSICS_OF_A5(X) X(mad) X(create_ca_matrix) X(create_cb_matrix) \
    X(load_gm_to_ca) X(load_gm_to_cb) X(load_cbuf_to_ca) X(load_cbuf_to_cb) \
    X(load_cbuf_to_ca_transpose) X(load_cbuf_to_cb_transpose) X(img2colv2_cbuf_to_ca) \
    X(img2colv2_cbuf_to_cb) X(copy_matrix_cc_to_cbuf) X(copy_cbuf_to_bt) X(copy_cbuf_to_fbuf) \
    X(copy_gm_to_cbuf_multi_nd2nz_b8) \
    X(copy_gm_to_cbuf_multi_nd2nz_b16) X(copy_gm_to_cbuf_multi_nd2nz_b32s)
// Those that tiles' headers make of tile instructions (pto/common/raw_copies.hpp).
#define PTO_DETAIL_TILE_INTRINSICS(X) X(create_cbuf_matrix) X(copy_matrix_cc_to_gm)

#ifndef PTO_NPU_ARCH_A2A3
PTO_DETAIL_VECTOR_INTRINSICS(PTO_DETAIL_UNSUPPORTED)
PTO_DETAIL_CUBE_INTRINSICS_OF_A5(PTO_DETAIL_UNSUPPORTED)
#ifdef PTOSIM_ADDRESS_SPACES
PTO_DETAIL_TILE_INTRINSICS(PTO_DETAIL_UNSUPPORTED)
#endif
#endif
PTO_DETAIL_CUBE_INTRINSICS(PTO_DETAIL_UNSUPPORTED)
#undef PTO_DETAIL_VECTOR_INTRINSICS
#undef PTO_DETAIL_CUBE_INTRINSICS
#undef PTO_DETAIL_CUBE_INTRINSICS_OF_A5
#undef PTO_DETAIL_TILE_INTRINSICS
#undef PTO_DETAIL_UNSUPPORTED

#ifdef PTO_NPU_ARCH_A5
#define __simt_vf__ \
    _Pragma("GCC error \"__simt_vf__: SIMT functions are below the level of tiles, ptosim does not simulate them\"")
#define LAUNCH_BOUND(threads)
#endif
