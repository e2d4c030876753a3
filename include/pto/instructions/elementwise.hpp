// Operations on tiles of UB, element by element, and reductions and broadcasts: one list per form.
#pragma once

#include "pto/instructions/forms.hpp"
#include "pto/instructions/operation.hpp"

namespace pto {

// dst = Name_(src)
#define PTO_DETAIL_UNARY(Name_)                                                            \
    template <typename Dst, typename Src>                                                  \
    RecordEvent Name_(Dst& dst, Src& src, PTO_DETAIL_EVENTS) {                             \
        PTO_DETAIL_WAIT;                                                                   \
        return ptosim_detail::issue_vector(PTO_DETAIL_OPCODE(Name_), where, {}, dst, src); \
    }
PTO_DETAIL_OPERATIONS_UNARY(PTO_DETAIL_UNARY)
#undef PTO_DETAIL_UNARY

#define PTO_DETAIL_PRECISION(Algorithm_)                 \
    ptosim_detail::attribute(PTOSIM_ATTR_HIGH_PRECISION, \
                             Algorithm_ == decltype(Algorithm_)::HIGH_PRECISION)

// dst = Name_<algorithm>(src)
#define PTO_DETAIL_UNARY_PRECISE(Name_, Algorithm_)                                       \
    template <auto Precision_ = Algorithm_::DEFAULT, typename Dst, typename Src>          \
    RecordEvent Name_(Dst& dst, Src& src, PTO_DETAIL_EVENTS) {                            \
        PTO_DETAIL_WAIT;                                                                  \
        return ptosim_detail::issue_vector(PTO_DETAIL_OPCODE(Name_), where,               \
                                           {PTO_DETAIL_PRECISION(Precision_)}, dst, src); \
    }
PTO_DETAIL_OPERATIONS_UNARY_PRECISE(PTO_DETAIL_UNARY_PRECISE)
#undef PTO_DETAIL_UNARY_PRECISE

template <auto Precision_ = RsqrtAlgorithm::DEFAULT, typename Dst, typename Src, typename Tmp,
          std::enable_if_t<is_tile_data_v<Tmp>, int> = 0>
RecordEvent TRSQRT(Dst& dst, Src& src, Tmp&, PTO_DETAIL_EVENTS) {
    return TRSQRT<Precision_>(dst, src, e0, e1, e2, e3, where);
}

// dst = Name_(src0, src1); the second source of reductions is scratch.
#define PTO_DETAIL_BINARY(Name_)                                                                  \
    template <typename Dst, typename Src0, typename Src1>                                         \
    RecordEvent Name_(Dst& dst, Src0& src0, Src1& src1, PTO_DETAIL_EVENTS) {                      \
        PTO_DETAIL_WAIT;                                                                          \
        return ptosim_detail::issue_vector(PTO_DETAIL_OPCODE(Name_), where, {}, dst, src0, src1); \
    }
PTO_DETAIL_OPERATIONS_BINARY(PTO_DETAIL_BINARY)
#undef PTO_DETAIL_BINARY

// dst = Name_<algorithm>(src0, src1)
#define PTO_DETAIL_BINARY_PRECISE(Name_, Algorithm_)                                             \
    template <auto Precision_ = Algorithm_::DEFAULT, typename Dst, typename Src0, typename Src1> \
    RecordEvent Name_(Dst& dst, Src0& src0, Src1& src1, PTO_DETAIL_EVENTS) {                     \
        PTO_DETAIL_WAIT;                                                                         \
        return ptosim_detail::issue_vector(PTO_DETAIL_OPCODE(Name_), where,                      \
                                           {PTO_DETAIL_PRECISION(Precision_)}, dst, src0, src1); \
    }
PTO_DETAIL_OPERATIONS_BINARY_PRECISE(PTO_DETAIL_BINARY_PRECISE)
#undef PTO_DETAIL_BINARY_PRECISE

// dst = Name_(src0, src1), with scratch
#define PTO_DETAIL_BINARY_TMP(Name_)                                                             \
    template <typename Dst, typename Src0, typename Src1, typename Tmp,                          \
              std::enable_if_t<is_tile_data_v<Tmp>, int> = 0>                                    \
    RecordEvent Name_(Dst& dst, Src0& src0, Src1& src1, Tmp& tmp, PTO_DETAIL_EVENTS) {           \
        PTO_DETAIL_WAIT;                                                                         \
        return ptosim_detail::issue_vector(PTO_DETAIL_OPCODE(Name_), where, {}, dst, src0, src1, \
                                           tmp);                                                 \
    }
PTO_DETAIL_OPERATIONS_BINARY_TMP(PTO_DETAIL_BINARY_TMP)
#undef PTO_DETAIL_BINARY_TMP

// dst = Name_<algorithm>(src0, src1), with scratch
#define PTO_DETAIL_BINARY_PRECISE_TMP(Name_, Algorithm_)                                         \
    template <auto Precision_ = Algorithm_::DEFAULT, typename Dst, typename Src0, typename Src1, \
              typename Tmp, std::enable_if_t<is_tile_data_v<Tmp>, int> = 0>                      \
    RecordEvent Name_(Dst& dst, Src0& src0, Src1& src1, Tmp& tmp, PTO_DETAIL_EVENTS) {           \
        PTO_DETAIL_WAIT;                                                                         \
        return ptosim_detail::issue_vector(PTO_DETAIL_OPCODE(Name_), where,                      \
                                           {PTO_DETAIL_PRECISION(Precision_)}, dst, src0, src1,  \
                                           tmp);                                                 \
    }
PTO_DETAIL_OPERATIONS_BINARY_PRECISE_TMP(PTO_DETAIL_BINARY_PRECISE_TMP)
#undef PTO_DETAIL_BINARY_PRECISE_TMP
// Without scratch, as in older releases of pto-isa (the one of PyPTO 0.2.0).
template <typename Dst, typename Src0, typename Src1>
RecordEvent TREM(Dst& dst, Src0& src0, Src1& src1, PTO_DETAIL_EVENTS) {
    PTO_DETAIL_WAIT;
    return ptosim_detail::issue_vector(PTO_DETAIL_OPCODE(TREM), where, {}, dst, src0, src1);
}

// dst = Name_(src0, src1, src2)
#define PTO_DETAIL_TERNARY(Name_)                                                                \
    template <typename Data>                                                                     \
    RecordEvent Name_(Data& dst, Data& src0, Data& src1, Data& src2, PTO_DETAIL_EVENTS) {        \
        PTO_DETAIL_WAIT;                                                                         \
        return ptosim_detail::issue_vector(PTO_DETAIL_OPCODE(Name_), where, {}, dst, src0, src1, \
                                           src2);                                                \
    }
PTO_DETAIL_OPERATIONS_TERNARY(PTO_DETAIL_TERNARY)
#undef PTO_DETAIL_TERNARY

template <typename Dst, typename Src0, typename Src1, typename Tmp>
RecordEvent TADDDEQRELU(Dst& dst, Src0& src0, Src1& src1, float deqScale, Tmp& tmp,
                        PTO_DETAIL_EVENTS) {
    ptosim_detail::require_vector_tiles<Dst, Src0, Src1, Tmp>();
    PTO_DETAIL_WAIT;
    return ptosim_detail::record_issue(
        PTO_DETAIL_OPCODE(TADDDEQRELU), where,
        {ptosim_detail::operand(dst), ptosim_detail::operand(src0), ptosim_detail::operand(src1),
         ptosim_detail::scalar(deqScale), ptosim_detail::operand(tmp)});
}

// ---- reductions ------------------------------------------------------------------------------
// With the extreme values as well as their positions.
#define PTO_DETAIL_ARGUMENT(Name_)                                                                \
    template <typename Value, typename Index, typename Src, typename Tmp,                         \
              std::enable_if_t<is_tile_data_v<Tmp>, int> = 0>                                     \
    RecordEvent Name_(Value& dstVal, Index& dstIdx, Src& src, Tmp& tmp, PTO_DETAIL_EVENTS) {      \
        PTO_DETAIL_WAIT;                                                                          \
        return ptosim_detail::issue_vector(PTO_DETAIL_OPCODE(Name_), where, {}, dstIdx, src, tmp, \
                                           dstVal);                                               \
    }
PTO_DETAIL_OPERATIONS_ARGUMENT(PTO_DETAIL_ARGUMENT)
#undef PTO_DETAIL_ARGUMENT

template <typename Dst, typename Src>
RecordEvent TCOLSUM(Dst& dst, Src& src, PTO_DETAIL_EVENTS) {
    PTO_DETAIL_WAIT;
    return ptosim_detail::issue_vector(PTO_DETAIL_OPCODE(TCOLSUM), where, {}, dst, src);
}
template <typename Dst, typename Src, typename Tmp>
RecordEvent TCOLSUM(Dst& dst, Src& src, Tmp& tmp, bool isBinary, PTO_DETAIL_EVENTS) {
    PTO_DETAIL_WAIT;
    return ptosim_detail::issue_vector(
        PTO_DETAIL_OPCODE(TCOLSUM), where,
        {ptosim_detail::attribute(PTOSIM_ATTR_BINARY_TREE, isBinary)}, dst, src, tmp);
}

// ---- comparison, selection -------------------------------------------------------------------
template <typename Dst, typename Src0, typename Src1>
RecordEvent TCMP(Dst& dst, Src0& src0, Src1& src1, CmpMode mode, PTO_DETAIL_EVENTS) {
    PTO_DETAIL_WAIT;
    return ptosim_detail::issue_vector(PTO_DETAIL_OPCODE(TCMP), where,
                                       {ptosim_detail::attribute(PTOSIM_ATTR_COMPARE, mode)}, dst,
                                       src0, src1);
}
template <typename Dst, typename Src>
RecordEvent TCMPS(Dst& dst, Src& src0, typename Src::DType src1, CmpMode mode, PTO_DETAIL_EVENTS) {
    ptosim_detail::require_vector_tiles<Dst, Src>();
    PTO_DETAIL_WAIT;
    return ptosim_detail::record_issue(
        PTO_DETAIL_OPCODE(TCMPS), where,
        {ptosim_detail::operand(dst), ptosim_detail::operand(src0), ptosim_detail::scalar(src1)},
        {ptosim_detail::attribute(PTOSIM_ATTR_COMPARE, mode)});
}
// The scalar is the first element of a tile.
template <typename Dst, typename Src0, typename Src1,
          std::enable_if_t<is_tile_data_v<Src1>, int> = 0>
RecordEvent TCMPS(Dst& dst, Src0& src0, Src1& src1, CmpMode mode, PTO_DETAIL_EVENTS) {
    ptosim_detail::require_vector_tiles<Dst, Src0, Src1>();
    PTO_DETAIL_WAIT;
    set_flag(PIPE_V, PIPE_S, EVENT_ID0, where);
    wait_flag(PIPE_V, PIPE_S, EVENT_ID0, where);
    const ptosim_tile tile = ptosim_detail::record(src1);
    const uint64_t bits = ptosim_load_local(&tile, 0, where);
    return ptosim_detail::record_issue(PTO_DETAIL_OPCODE(TCMPS), where,
                                       {ptosim_detail::operand(dst), ptosim_detail::operand(src0),
                                        ptosim_detail::scalar_operand(bits, tile.dtype)},
                                       {ptosim_detail::attribute(PTOSIM_ATTR_COMPARE, mode)});
}
template <typename Data, typename Mask, typename Tmp>
RecordEvent TSEL(Data& dst, Mask& mask, Data& src0, Data& src1, Tmp& tmp, PTO_DETAIL_EVENTS) {
    PTO_DETAIL_WAIT;
    return ptosim_detail::issue_vector(PTO_DETAIL_OPCODE(TSEL), where, {}, dst, mask, src0, src1,
                                       tmp);
}
template <typename Dst, typename Mask, typename Src, typename Tmp>
RecordEvent TSELS(Dst& dst, Mask& mask, Src& src, Tmp& tmp, typename Src::DType scalar,
                  PTO_DETAIL_EVENTS) {
    ptosim_detail::require_vector_tiles<Dst, Mask, Src, Tmp>();
    PTO_DETAIL_WAIT;
    return ptosim_detail::record_issue(
        PTO_DETAIL_OPCODE(TSELS), where,
        {ptosim_detail::operand(dst), ptosim_detail::operand(mask), ptosim_detail::operand(src),
         ptosim_detail::operand(tmp), ptosim_detail::scalar(scalar)});
}

}  // namespace pto
