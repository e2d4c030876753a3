// Sorting, gathering, scattering, and what works with indices.
#pragma once

#include "pto/instructions/operation.hpp"

namespace pto {

// ---- sorts -----------------------------------------------------------------------------------
template <typename Dst, typename Src, typename Index>
RecordEvent TSORT32(Dst& dst, Src& src, Index& idx, PTO_DETAIL_WHERE) {
    ptosim_detail::require_vector_tiles<Dst, Src, Index>();
    return ptosim_detail::record_issue(
        PTO_DETAIL_OPCODE(TSORT32), where,
        {ptosim_detail::operand(dst), ptosim_detail::operand(src), ptosim_detail::operand(idx)});
}
template <typename Dst, typename Src, typename Index, typename Tmp>
RecordEvent TSORT32(Dst& dst, Src& src, Index& idx, Tmp& tmp, PTO_DETAIL_WHERE) {
    ptosim_detail::require_vector_tiles<Dst, Src, Index, Tmp>();
    return ptosim_detail::record_issue(PTO_DETAIL_OPCODE(TSORT32), where,
                                       {ptosim_detail::operand(dst), ptosim_detail::operand(src),
                                        ptosim_detail::operand(idx), ptosim_detail::operand(tmp)});
}

template <typename Dst, typename Src>
RecordEvent TMRGSORT(Dst& dst, Src& src, uint32_t blockLen, PTO_DETAIL_EVENTS) {
    ptosim_detail::require_vector_tiles<Dst, Src>();
    PTO_DETAIL_WAIT;
    return ptosim_detail::record_issue(
        PTO_DETAIL_OPCODE(TMRGSORT), where,
        {ptosim_detail::operand(dst), ptosim_detail::none(), ptosim_detail::operand(src),
         ptosim_detail::none(), ptosim_detail::none(), ptosim_detail::none(),
         ptosim_detail::scalar(blockLen)});
}

namespace ptosim_detail {

// Merges two to four lists. With `exhausted` it stops when one list is used up; VMS4_SR then has how many
// records of each were taken, for which the scalar unit waits. The scratch tile may be dst.
inline RecordEvent merge(const TileBase& dst, MrgSortExecutedNumList& executed, const TileBase& tmp,
                         bool exhausted, const ptosim_operand& src0, const ptosim_operand& src1,
                         const ptosim_operand& src2, const ptosim_operand& src3,
                         ptosim_location where) {
    issue(PTO_DETAIL_OPCODE(TMRGSORT), where, {operand(dst), operand(tmp), src0, src1, src2, src3},
          {attribute(PTOSIM_ATTR_EXHAUSTED, exhausted)});
    if (exhausted) {
        set_flag(PIPE_V, PIPE_S, EVENT_ID0, where);
        wait_flag(PIPE_V, PIPE_S, EVENT_ID0, where);
        const uint64_t taken = ptosim_result(PTOSIM_VMS4_SR, where);
        executed = {static_cast<uint16_t>(taken), static_cast<uint16_t>(taken >> 16),
                    static_cast<uint16_t>(taken >> 32), static_cast<uint16_t>(taken >> 48)};
    }
    return {where};
}

}  // namespace ptosim_detail

template <typename Dst, typename Tmp, typename Src0, typename Src1, typename Src2, typename Src3,
          bool Exhausted_>
RecordEvent TMRGSORT(Dst& dst, MrgSortExecutedNumList& executed, Tmp& tmp, Src0& src0, Src1& src1,
                     Src2& src2, Src3& src3, PTO_DETAIL_EVENTS) {
    PTO_DETAIL_WAIT;
    return ptosim_detail::merge(dst, executed, tmp, Exhausted_, ptosim_detail::operand(src0),
                                ptosim_detail::operand(src1), ptosim_detail::operand(src2),
                                ptosim_detail::operand(src3), where);
}
template <typename Dst, typename Tmp, typename Src0, typename Src1, typename Src2, bool Exhausted_>
RecordEvent TMRGSORT(Dst& dst, MrgSortExecutedNumList& executed, Tmp& tmp, Src0& src0, Src1& src1,
                     Src2& src2, PTO_DETAIL_EVENTS) {
    PTO_DETAIL_WAIT;
    return ptosim_detail::merge(dst, executed, tmp, Exhausted_, ptosim_detail::operand(src0),
                                ptosim_detail::operand(src1), ptosim_detail::operand(src2),
                                ptosim_detail::none(), where);
}
template <typename Dst, typename Tmp, typename Src0, typename Src1, bool Exhausted_>
RecordEvent TMRGSORT(Dst& dst, MrgSortExecutedNumList& executed, Tmp& tmp, Src0& src0, Src1& src1,
                     PTO_DETAIL_EVENTS) {
    PTO_DETAIL_WAIT;
    return ptosim_detail::merge(dst, executed, tmp, Exhausted_, ptosim_detail::operand(src0),
                                ptosim_detail::operand(src1), ptosim_detail::none(),
                                ptosim_detail::none(), where);
}

// ---- gathers and scatters within UB ----------------------------------------------------------
template <typename Dst, typename Src0, typename Src1, typename Tmp>
RecordEvent TGATHER(Dst& dst, Src0& src0, Src1& indices, Tmp& tmp, PTO_DETAIL_EVENTS) {
    ptosim_detail::require_vector_tiles<Dst, Src0, Src1, Tmp>();
    PTO_DETAIL_WAIT;
    return ptosim_detail::record_issue(
        PTO_DETAIL_OPCODE(TGATHER), where,
        {ptosim_detail::operand(dst), ptosim_detail::operand(src0), ptosim_detail::operand(indices),
         ptosim_detail::none(), ptosim_detail::operand(tmp)});
}
// Elements of each row, or (GATHER_COL) whole rows, that the pattern takes.
template <typename Dst, typename Src, MaskPattern Mask_ = MaskPattern::P1111,
          auto Axis_ = GatherAxis::GATHER_ROW>
RecordEvent TGATHER(Dst& dst, Src& src, PTO_DETAIL_EVENTS) {
    PTO_DETAIL_WAIT;
    return ptosim_detail::issue_vector(
        PTO_DETAIL_OPCODE(TGATHER), where,
        {ptosim_detail::attribute(PTOSIM_ATTR_MASK_PATTERN, Mask_),
         ptosim_detail::attribute(PTOSIM_ATTR_ALONG_ROWS, Axis_ != GatherAxis::GATHER_ROW)},
        dst, src);
}
// Positions of the elements that compare with the value of their row.
template <typename Dst, typename Src, typename Value, typename Count, typename Tmp, CmpMode Mode_>
RecordEvent TGATHER(Dst& dst, Src& src0, Value& value, Count& count, Tmp& tmp, int offset,
                    PTO_DETAIL_EVENTS) {
    ptosim_detail::require_vector_tiles<Dst, Src, Count, Tmp>();
    PTO_DETAIL_WAIT;
    ptosim_operand key{};
    if constexpr (is_tile_data_v<Value>) {
        key = ptosim_detail::operand(value);
    } else {
        key = ptosim_detail::scalar(value);
    }
    return ptosim_detail::record_issue(
        PTO_DETAIL_OPCODE(TGATHER), where,
        {ptosim_detail::operand(dst), ptosim_detail::operand(src0), ptosim_detail::none(), key,
         ptosim_detail::operand(tmp), ptosim_detail::operand(count)},
        {ptosim_detail::attribute(PTOSIM_ATTR_COMPARE, Mode_),
         ptosim_detail::attribute(PTOSIM_ATTR_INDEX_OFFSET, offset)});
}
template <typename Dst, typename Src, typename Offsets>
RecordEvent TGATHERB(Dst& dst, Src& src, Offsets& offsets, PTO_DETAIL_EVENTS) {
    PTO_DETAIL_WAIT;
    return ptosim_detail::issue_vector(PTO_DETAIL_OPCODE(TGATHERB), where, {}, dst, src, offsets);
}
template <typename Dst, typename Src, typename Index,
          std::enable_if_t<is_tile_data_v<Index>, int> = 0>
RecordEvent TSCATTER(Dst& dst, Src& src, Index& indexes, PTO_DETAIL_EVENTS) {
    PTO_DETAIL_WAIT;
    return ptosim_detail::issue_vector(PTO_DETAIL_OPCODE(TSCATTER), where, {}, dst, src, indexes);
}
// Into the elements of each row, or (SCATTER_COL) into the rows, that the pattern takes.
template <MaskPattern Mask_ = MaskPattern::P1111, auto Axis_ = ScatterAxis::SCATTER_ROW,
          typename Dst, typename Src>
RecordEvent TSCATTER(Dst& dst, Src& src, PTO_DETAIL_EVENTS) {
    ptosim_detail::require_vector_tiles<Dst, Src>();
    PTO_DETAIL_WAIT;
    const RecordEvent event = ptosim_detail::record_issue(
        PTO_DETAIL_OPCODE(TSCATTER), where,
        {ptosim_detail::operand(dst), ptosim_detail::operand(src)},
        {ptosim_detail::attribute(PTOSIM_ATTR_MASK_PATTERN, Mask_),
         ptosim_detail::attribute(PTOSIM_ATTR_ALONG_ROWS, Axis_ != ScatterAxis::SCATTER_ROW)});
#ifndef PTO_NPU_ARCH_A5
    // The scalar unit places the elements there, so that later instructions find them.
    if constexpr (Axis_ == ScatterAxis::SCATTER_ROW) {
        set_flag(PIPE_V, PIPE_S, EVENT_ID0, where);
        wait_flag(PIPE_V, PIPE_S, EVENT_ID0, where);
    }
#endif
    return event;
}

#define PTO_DETAIL_PARTIAL_ARGUMENT(Name_)                                                       \
    template <typename Dst, typename Src0, typename Src1, typename DstIndex, typename Index0,    \
              typename Index1>                                                                   \
    RecordEvent Name_(Dst& dst, Src0& src0, Src1& src1, DstIndex& dstIdx, Index0& src0Idx,       \
                      Index1& src1Idx, PTO_DETAIL_EVENTS) {                                      \
        PTO_DETAIL_WAIT;                                                                         \
        return ptosim_detail::issue_vector(PTO_DETAIL_OPCODE(Name_), where, {}, dst, src0, src1, \
                                           dstIdx, src0Idx, src1Idx);                            \
    }
PTO_DETAIL_PARTIAL_ARGUMENT(TPARTARGMAX)
PTO_DETAIL_PARTIAL_ARGUMENT(TPARTARGMIN)
#undef PTO_DETAIL_PARTIAL_ARGUMENT

template <HistByte Byte_, typename Dst, typename Src, typename Index>
RecordEvent THISTOGRAM(Dst& dst, Src& src, Index& idx, PTO_DETAIL_EVENTS) {
    PTO_DETAIL_WAIT;
    return ptosim_detail::issue_vector(PTO_DETAIL_OPCODE(THISTOGRAM), where,
                                       {ptosim_detail::attribute(PTOSIM_ATTR_BYTE_SELECT, Byte_)},
                                       dst, src, idx);
}

// ---- gathers and scatters in global memory ---------------------------------------------------
namespace ptosim_detail {

constexpr int out_of_bounds(GatherOOB mode) { return static_cast<int>(mode); }
constexpr int out_of_bounds(ScatterOOB mode) {
    return mode == ScatterOOB::Undefined ? 0
           : mode == ScatterOOB::Skip    ? 4
           : mode == ScatterOOB::Clamp   ? 1
                                         : 2;
}
template <class Index>
inline constexpr bool is_index_v = is_tile_data_v<Index> || is_global_data_v<Index>;

}  // namespace ptosim_detail

template <Coalesce Coalesce_, GatherOOB Oob_, typename Dst, typename Global, typename Index>
RecordEvent MGATHER(Dst& dst, Global& src, Index& indexes, PTO_DETAIL_EVENTS) {
    ptosim_detail::require_tiles<Dst>();
    ptosim_detail::require_global<Global>();
    PTO_DETAIL_WAIT;
    if constexpr (ptosim_detail::passes_over<Dst>()) return {where};
    return ptosim_detail::record_issue(
        PTO_DETAIL_OPCODE(MGATHER), where,
        {ptosim_detail::operand(dst), ptosim_detail::operand(src), ptosim_detail::operand(indexes)},
        {ptosim_detail::attribute(PTOSIM_ATTR_BY_ELEMENT, Coalesce_ == Coalesce::Elem),
         ptosim_detail::attribute(PTOSIM_ATTR_OUT_OF_BOUNDS, ptosim_detail::out_of_bounds(Oob_))});
}
template <Coalesce Coalesce_, typename Dst, typename Global, typename Index>
RecordEvent MGATHER(Dst& dst, Global& src, Index& indexes, PTO_DETAIL_EVENTS) {
    return MGATHER<Coalesce_, GatherOOB::Undefined>(dst, src, indexes, e0, e1, e2, e3, where);
}
template <typename Dst, typename Global, typename Index>
RecordEvent MGATHER(Dst& dst, Global& src, Index& indexes, PTO_DETAIL_EVENTS) {
    return MGATHER<Coalesce::Row, GatherOOB::Undefined>(dst, src, indexes, e0, e1, e2, e3, where);
}
// Into L1, with indices in global memory and scratch there.
template <Coalesce Coalesce_, GatherOOB Oob_, typename Dst, typename Global, typename Index,
          typename Scratch, std::enable_if_t<is_global_data_v<Scratch>, int> = 0>
RecordEvent MGATHER(Dst& dst, Global& src, Index& indexes, Scratch& scratch, PTO_DETAIL_WHERE) {
    if constexpr (ptosim_detail::passes_over<Dst>()) return {where};
    return ptosim_detail::record_issue(
        PTO_DETAIL_OPCODE(MGATHER), where,
        {ptosim_detail::operand(dst), ptosim_detail::operand(src), ptosim_detail::operand(indexes),
         ptosim_detail::operand(scratch)},
        {ptosim_detail::attribute(PTOSIM_ATTR_BY_ELEMENT, Coalesce_ == Coalesce::Elem),
         ptosim_detail::attribute(PTOSIM_ATTR_OUT_OF_BOUNDS, ptosim_detail::out_of_bounds(Oob_))});
}
template <Coalesce Coalesce_, typename Dst, typename Global, typename Index, typename Scratch,
          std::enable_if_t<is_global_data_v<Scratch>, int> = 0>
RecordEvent MGATHER(Dst& dst, Global& src, Index& indexes, Scratch& scratch, PTO_DETAIL_WHERE) {
    return MGATHER<Coalesce_, GatherOOB::Undefined>(dst, src, indexes, scratch, where);
}
template <Coalesce Coalesce_, GatherOOB Oob_, GatherExec Exec_, typename Dst, typename Global,
          typename Index, typename Scratch, std::enable_if_t<is_global_data_v<Scratch>, int> = 0>
RecordEvent MGATHER(Dst& dst, Global& src, Index& indexes, Scratch& scratch, PTO_DETAIL_WHERE) {
    return MGATHER<Coalesce_, Oob_>(dst, src, indexes, scratch, where);
}

template <Coalesce Coalesce_, ScatterAtomicOp Atomic_, ScatterOOB Oob_, typename Global,
          typename Src, typename Index>
RecordEvent MSCATTER(Global& dst, Src& src, Index& indexes, PTO_DETAIL_EVENTS) {
    ptosim_detail::require_tiles<Src>();
    ptosim_detail::require_global<Global>();
    PTO_DETAIL_WAIT;
    return ptosim_detail::record_issue(
        PTO_DETAIL_OPCODE(MSCATTER), where,
        {ptosim_detail::operand(dst), ptosim_detail::operand(src), ptosim_detail::operand(indexes)},
        {ptosim_detail::attribute(PTOSIM_ATTR_BY_ELEMENT, Coalesce_ == Coalesce::Elem),
         ptosim_detail::attribute(PTOSIM_ATTR_ATOMIC, Atomic_),
         ptosim_detail::attribute(PTOSIM_ATTR_OUT_OF_BOUNDS, ptosim_detail::out_of_bounds(Oob_))});
}
// Indices that name one place twice leave the last one there, whatever Conflict_ allows.
template <Coalesce Coalesce_, ScatterAtomicOp Atomic_, ScatterOOB Oob_, ScatterConflict Conflict_,
          typename Global, typename Src, typename Index>
RecordEvent MSCATTER(Global& dst, Src& src, Index& indexes, PTO_DETAIL_EVENTS) {
    return MSCATTER<Coalesce_, Atomic_, Oob_>(dst, src, indexes, e0, e1, e2, e3, where);
}
template <Coalesce Coalesce_, ScatterAtomicOp Atomic_, typename Global, typename Src,
          typename Index>
RecordEvent MSCATTER(Global& dst, Src& src, Index& indexes, PTO_DETAIL_EVENTS) {
    return MSCATTER<Coalesce_, Atomic_, ScatterOOB::Undefined>(dst, src, indexes, e0, e1, e2, e3,
                                                               where);
}
template <Coalesce Coalesce_, typename Global, typename Src, typename Index>
RecordEvent MSCATTER(Global& dst, Src& src, Index& indexes, PTO_DETAIL_EVENTS) {
    return MSCATTER<Coalesce_, ScatterAtomicOp::None>(dst, src, indexes, e0, e1, e2, e3, where);
}
template <typename Global, typename Src, typename Index>
RecordEvent MSCATTER(Global& dst, Src& src, Index& indexes, PTO_DETAIL_EVENTS) {
    return MSCATTER<Coalesce::Row>(dst, src, indexes, e0, e1, e2, e3, where);
}

}  // namespace pto
