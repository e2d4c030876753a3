// The names with _IMPL that some kernels call.
#pragma once

#include "pto/instructions/convert.hpp"
#include "pto/instructions/elementwise.hpp"
#include "pto/instructions/indexed.hpp"
#include "pto/instructions/matrix.hpp"
#include "pto/instructions/memory.hpp"
#include "pto/instructions/moves.hpp"
#include "pto/instructions/with_scalar.hpp"

// Macros, so that a call through them is made, and reported, at the kernel's line.
#define TADD_IMPL TADD
#define TADDS_IMPL TADDS
#define TASSIGN_IMPL TASSIGN
#define TCOLEXPAND_IMPL TCOLEXPAND
#define TCONCAT_IMPL TCONCAT
#define TCVT_IMPL TCVT
#define TDIV_IMPL TDIV
#define TEXP_IMPL TEXP
#define TEXTRACT_IMPL TEXTRACT
#define TINSERT_IMPL TINSERT
#define TLOAD_IMPL TLOAD
#define TMATMUL_MX_IMPL TMATMUL_MX
#define TMAX_IMPL TMAX
#define TMOV_IMPL TMOV
#define TMRGSORT_IMPL TMRGSORT
#define TMUL_IMPL TMUL
#define TMULS_IMPL TMULS
#define TROWEXPANDSUB_IMPL TROWEXPANDSUB
#define TSTORE_IMPL TSTORE
#define TSUB_IMPL TSUB

// For calls with template arguments: until C++20 a bare name has to be a template's where it is called.
using pto::TMRGSORT;
using pto::TSTORE;

#ifdef PTO_NPU_ARCH_A5
namespace pto {

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

}  // namespace pto
#endif
