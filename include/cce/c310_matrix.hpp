// Fractals into L0A and L0B, their scales, and products, of C310 (a5) with the signatures of its device compiler. Kernels of
// tiles have these next to the tile library.
#pragma once

#include "cce/transfer_intrinsics.hpp"

namespace pto::ptosim_detail::intrinsics {

#define PTO_DETAIL_STEPS(Name_)                                                                            \
    inline void Name_(Address dst, Address src, Word first_row, Word first_column, Word rows, Word columns, \
                      Word from_pitch, Word to_pitch, Word transposed, PTO_DETAIL_WHERE) {                 \
        Name_##_c310(dst, src, first_row, first_column, rows, columns, from_pitch, to_pitch, transposed,   \
                     where);                                                                               \
    }
PTO_DETAIL_STEPS(load_cbuf_to_ca)
PTO_DETAIL_STEPS(load_cbuf_to_cb)
PTO_DETAIL_STEPS(load_cbuf_to_ca_s4)
PTO_DETAIL_STEPS(load_cbuf_to_cb_s4)
#undef PTO_DETAIL_STEPS
// Scales: the target is a number, a sixteenth of the address in L0A or L0B.
#define PTO_DETAIL_SCALES(Name_)                                                                            \
    inline void Name_(uint64_t dst, Address src, Word first_row, Word first_column, Word rows, Word columns, \
                      Word from_pitch, Word to_pitch, PTO_DETAIL_WHERE) {                                   \
        Name_(Address(dst), src, first_row, first_column, rows, columns, from_pitch, to_pitch, where);      \
    }
PTO_DETAIL_SCALES(load_cbuf_to_ca_mx)
PTO_DETAIL_SCALES(load_cbuf_to_cb_mx)
#undef PTO_DETAIL_SCALES
inline void mad(Address c, Address a, Address b, Word m, Word k, Word n, Word unit_flag, Word in_fractals,
                Word from_bias, Word from_zero, PTO_DETAIL_WHERE) {
    mad_c310(c, a, b, m, k, n, unit_flag, in_fractals, from_bias, from_zero, where);
}

}  // namespace pto::ptosim_detail::intrinsics
