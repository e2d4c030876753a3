// Operations on a tile of UB and a scalar; fills and generators.
#pragma once

#include "pto/instructions/operation.hpp"

namespace pto {

namespace detail {

// What is done to each element alone does not ask for the layout: where all tiles have their
// columns one after the other, they are the rows of the transposed ones.
template <class... T_>
inline constexpr bool all_by_columns = ((!T_::isRowMajor && !T_::isBoxedLayout) && ...);
template <bool Turned_>
ptosim_operand lanes(const TileBase& tile) {
    ptosim_tile result = record(tile);
    if constexpr (Turned_) {
        const ptosim_tile given = result;
        result.outer = PTOSIM_OUTER_ROW;
        result.rows = given.cols;
        result.cols = given.rows;
        result.valid_rows = given.valid_cols;
        result.valid_cols = given.valid_rows;
    }
    return operand(result);
}

}  // namespace detail

// dst = Name_(src, scalar); the scalar has the element type of Type_.
#define PTO_DETAIL_WITH_SCALAR(Name_, Type_)                                                     \
    template <typename Dst, typename Src>                                                        \
    RecordEvent Name_(Dst& dst, Src& src, typename Type_::DType scalar, PTO_DETAIL_EVENTS) {     \
        detail::require_vector_tiles<Dst, Src>();                                                \
        PTO_DETAIL_WAIT;                                                                         \
        constexpr bool kTurned = detail::all_by_columns<Dst, Src>;                               \
        return detail::record_issue(                                                             \
            PTO_DETAIL_OPCODE(Name_), where,                                                     \
            {detail::lanes<kTurned>(dst), detail::lanes<kTurned>(src), detail::scalar(scalar)}); \
    }
PTO_DETAIL_WITH_SCALAR(TADDS, Src)
PTO_DETAIL_WITH_SCALAR(TSUBS, Src)
PTO_DETAIL_WITH_SCALAR(TMULS, Src)
PTO_DETAIL_WITH_SCALAR(TMAXS, Src)
PTO_DETAIL_WITH_SCALAR(TMINS, Src)
PTO_DETAIL_WITH_SCALAR(TAXPY, Src)
PTO_DETAIL_WITH_SCALAR(TLRELU, Src)
PTO_DETAIL_WITH_SCALAR(TANDS, Dst)
PTO_DETAIL_WITH_SCALAR(TORS, Dst)
PTO_DETAIL_WITH_SCALAR(TSHLS, Dst)
PTO_DETAIL_WITH_SCALAR(TSHRS, Dst)
#undef PTO_DETAIL_WITH_SCALAR

template <auto Precision_ = DivAlgorithm::DEFAULT, typename Dst, typename Src>
RecordEvent TDIVS(Dst& dst, Src& src, typename Src::DType scalar, PTO_DETAIL_EVENTS) {
    detail::require_vector_tiles<Dst, Src>();
    PTO_DETAIL_WAIT;
    constexpr bool kTurned = detail::all_by_columns<Dst, Src>;
    return detail::record_issue(
        PTO_DETAIL_OPCODE(TDIVS), where,
        {detail::lanes<kTurned>(dst), detail::lanes<kTurned>(src), detail::scalar(scalar)},
        {detail::attribute(PTOSIM_ATTR_HIGH_PRECISION,
                           Precision_ == DivAlgorithm::HIGH_PRECISION)});
}
template <auto Precision_ = DivAlgorithm::DEFAULT, typename Dst, typename Src>
RecordEvent TDIVS(Dst& dst, typename Dst::DType scalar, Src& src, PTO_DETAIL_EVENTS) {
    detail::require_vector_tiles<Dst, Src>();
    PTO_DETAIL_WAIT;
    constexpr bool kTurned = detail::all_by_columns<Dst, Src>;
    return detail::record_issue(
        PTO_DETAIL_OPCODE(TDIVS), where,
        {detail::lanes<kTurned>(dst), detail::scalar(scalar), detail::lanes<kTurned>(src)},
        {detail::attribute(PTOSIM_ATTR_HIGH_PRECISION,
                           Precision_ == DivAlgorithm::HIGH_PRECISION)});
}
template <auto Precision_ = FmodSAlgorithm::DEFAULT, typename Dst, typename Src>
RecordEvent TFMODS(Dst& dst, Src& src, typename Src::DType scalar, PTO_DETAIL_EVENTS) {
    detail::require_vector_tiles<Dst, Src>();
    PTO_DETAIL_WAIT;
    return detail::record_issue(
        PTO_DETAIL_OPCODE(TFMODS), where,
        {detail::operand(dst), detail::operand(src), detail::scalar(scalar)});
}
template <auto Precision_ = RemSAlgorithm::DEFAULT, typename Dst, typename Src, typename Tmp>
RecordEvent TREMS(Dst& dst, Src& src, typename Src::DType scalar, Tmp& tmp, PTO_DETAIL_EVENTS) {
    detail::require_vector_tiles<Dst, Src, Tmp>();
    PTO_DETAIL_WAIT;
    return detail::record_issue(
        PTO_DETAIL_OPCODE(TREMS), where,
        {detail::operand(dst), detail::operand(src), detail::scalar(scalar), detail::operand(tmp)});
}
template <typename Dst, typename Src, typename Tmp>
RecordEvent TXORS(Dst& dst, Src& src, typename Src::DType scalar, Tmp& tmp, PTO_DETAIL_EVENTS) {
    detail::require_vector_tiles<Dst, Src, Tmp>();
    PTO_DETAIL_WAIT;
    return detail::record_issue(
        PTO_DETAIL_OPCODE(TXORS), where,
        {detail::operand(dst), detail::operand(src), detail::scalar(scalar), detail::operand(tmp)});
}
template <auto Precision_ = PowAlgorithm::DEFAULT, typename Dst, typename Base, typename Tmp>
RecordEvent TPOWS(Dst& dst, Base& base, typename Dst::DType exponent, Tmp& tmp, PTO_DETAIL_EVENTS) {
    detail::require_vector_tiles<Dst, Base, Tmp>();
    PTO_DETAIL_WAIT;
    return detail::record_issue(PTO_DETAIL_OPCODE(TPOWS), where,
                                {detail::operand(dst), detail::operand(base),
                                 detail::scalar(exponent), detail::operand(tmp)},
                                {detail::attribute(PTOSIM_ATTR_HIGH_PRECISION,
                                                   Precision_ == PowAlgorithm::HIGH_PRECISION)});
}
#define PTO_DETAIL_SCALAR_BETWEEN(Name_)                                              \
    template <typename Data>                                                          \
    RecordEvent Name_(Data& dst, Data& src0, typename Data::DType scalar, Data& src1, \
                      PTO_DETAIL_EVENTS) {                                            \
        detail::require_vector_tiles<Data>();                                         \
        PTO_DETAIL_WAIT;                                                              \
        return detail::record_issue(PTO_DETAIL_OPCODE(Name_), where,                  \
                                    {detail::operand(dst), detail::operand(src0),     \
                                     detail::scalar(scalar), detail::operand(src1)}); \
    }
PTO_DETAIL_SCALAR_BETWEEN(TADDSC)
PTO_DETAIL_SCALAR_BETWEEN(TSUBSC)
#undef PTO_DETAIL_SCALAR_BETWEEN

// ---- fills and generators --------------------------------------------------------------------
template <typename Data>
RecordEvent TEXPANDS(Data& dst, typename Data::DType scalar, PTO_DETAIL_EVENTS) {
    PTO_DETAIL_WAIT;
    return detail::record_issue(PTO_DETAIL_OPCODE(TEXPANDS), where,
                                {detail::operand(dst), detail::scalar(scalar)});
}
template <typename Data, typename T_, int Descending_>
RecordEvent TCI(Data& dst, T_ start, PTO_DETAIL_EVENTS) {
    detail::require_vector_tiles<Data>();
    PTO_DETAIL_WAIT;
    return detail::record_issue(PTO_DETAIL_OPCODE(TCI), where,
                                {detail::operand(dst), detail::scalar(start)},
                                {detail::attribute(PTOSIM_ATTR_DESCENDING, Descending_)});
}
template <typename Data, typename Tmp, typename T_, int Descending_>
RecordEvent TCI(Data& dst, T_ start, Tmp& tmp, PTO_DETAIL_EVENTS) {
    detail::require_vector_tiles<Data, Tmp>();
    PTO_DETAIL_WAIT;
    return detail::record_issue(PTO_DETAIL_OPCODE(TCI), where,
                                {detail::operand(dst), detail::scalar(start), detail::operand(tmp)},
                                {detail::attribute(PTOSIM_ATTR_DESCENDING, Descending_)});
}
template <typename Data, int Upper_>
RecordEvent TTRI(Data& dst, int diagonal, PTO_DETAIL_EVENTS) {
    detail::require_vector_tiles<Data>();
    PTO_DETAIL_WAIT;
    return detail::record_issue(PTO_DETAIL_OPCODE(TTRI), where,
                                {detail::operand(dst), detail::scalar(diagonal)},
                                {detail::attribute(PTOSIM_ATTR_UPPER, Upper_)});
}
template <uint16_t Rounds_ = 10, typename Data>
RecordEvent TRANDOM(Data& dst, TRandomKey& key, TRandomCounter& counter, PTO_DETAIL_EVENTS) {
    detail::require_vector_tiles<Data>();
    PTO_DETAIL_WAIT;
    return detail::record_issue(
        PTO_DETAIL_OPCODE(TRANDOM), where,
        {detail::operand(dst), detail::scalar(key[0]), detail::scalar(key[1]),
         detail::scalar(counter[0]), detail::scalar(counter[1]), detail::scalar(counter[2]),
         detail::scalar(counter[3])},
        {detail::attribute(PTOSIM_ATTR_ROUNDS, Rounds_)});
}

}  // namespace pto
