// The names with _IMPL that some kernels call.
#pragma once

#include "pto/instructions/convert.hpp"
#include "pto/instructions/elementwise.hpp"
#include "pto/instructions/memory.hpp"
#include "pto/instructions/moves.hpp"
#include "pto/instructions/with_scalar.hpp"

namespace pto {

#define PTO_DETAIL_IMPLEMENTATION(Name_)             \
    template <class... Operands>                     \
    void Name_##_IMPL(Operands&&... operands) {      \
        Name_(static_cast<Operands&&>(operands)...); \
    }
PTO_DETAIL_IMPLEMENTATION(TADD)
PTO_DETAIL_IMPLEMENTATION(TADDS)
PTO_DETAIL_IMPLEMENTATION(TASSIGN)
PTO_DETAIL_IMPLEMENTATION(TCOLEXPAND)
PTO_DETAIL_IMPLEMENTATION(TCONCAT)
PTO_DETAIL_IMPLEMENTATION(TCVT)
PTO_DETAIL_IMPLEMENTATION(TDIV)
PTO_DETAIL_IMPLEMENTATION(TEXP)
PTO_DETAIL_IMPLEMENTATION(TEXTRACT)
PTO_DETAIL_IMPLEMENTATION(TINSERT)
PTO_DETAIL_IMPLEMENTATION(TLOAD)
PTO_DETAIL_IMPLEMENTATION(TMAX)
PTO_DETAIL_IMPLEMENTATION(TMOV)
PTO_DETAIL_IMPLEMENTATION(TMUL)
PTO_DETAIL_IMPLEMENTATION(TMULS)
PTO_DETAIL_IMPLEMENTATION(TROWEXPANDSUB)
PTO_DETAIL_IMPLEMENTATION(TSTORE)
PTO_DETAIL_IMPLEMENTATION(TSUB)
#undef PTO_DETAIL_IMPLEMENTATION

#ifdef PTO_NPU_ARCH_A5
// Rows within UB become NZ.
template <typename T_, typename Dst, typename Src, typename DstAddress, typename SrcAddress>
void TMovToVecNd2Nz(DstAddress dst, SrcAddress src, uint32_t rows, uint32_t cols, uint32_t,
                    PTO_DETAIL_WHERE) {
    ptosim_tile to = ptosim_detail::record(Dst{}), from = ptosim_detail::record(Src{});
    to.address = static_cast<uint32_t>(reinterpret_cast<uintptr_t>(dst));
    from.address = static_cast<uint32_t>(reinterpret_cast<uintptr_t>(src));
    to.valid_rows = from.valid_rows = static_cast<int32_t>(rows);
    to.valid_cols = from.valid_cols = static_cast<int32_t>(cols);
    ptosim_detail::issue(PTO_DETAIL_OPCODE(TMOV), where,
                         {ptosim_detail::operand(to), ptosim_detail::operand(from)});
}
#endif

}  // namespace pto
