// Operations on a tile of UB and a scalar; fills and generators.
#pragma once

#include "pto/instructions/forms.hpp"
#include "pto/instructions/operation.hpp"

namespace pto {

namespace ptosim_detail {

// An element-wise operation does not depend on the layout: if all tiles store columns one after the other, these are
// the rows of the transposed tiles.
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

}  // namespace ptosim_detail

// dst = Name_(src, scalar); the scalar has the element type of Type_.
#define PTO_DETAIL_WITH_SCALAR(Name_, Type_)                                                 \
    template <typename Dst, typename Src>                                                    \
    RecordEvent Name_(Dst& dst, Src& src, typename Type_::DType scalar, PTO_DETAIL_EVENTS) { \
        ptosim_detail::require_vector_tiles<Dst, Src>();                                     \
        PTO_DETAIL_WAIT;                                                                     \
        constexpr bool kTurned = ptosim_detail::all_by_columns<Dst, Src>;                    \
        return ptosim_detail::record_issue(                                                  \
            PTO_DETAIL_OPCODE(Name_), where,                                                 \
            {ptosim_detail::lanes<kTurned>(dst), ptosim_detail::lanes<kTurned>(src),         \
             ptosim_detail::scalar(scalar)});                                                \
    }
PTO_DETAIL_OPERATIONS_WITH_SCALAR(PTO_DETAIL_WITH_SCALAR)
#undef PTO_DETAIL_WITH_SCALAR

template <auto Precision_ = DivAlgorithm::DEFAULT, typename Dst, typename Src>
RecordEvent TDIVS(Dst& dst, Src& src, typename Src::DType scalar, PTO_DETAIL_EVENTS) {
    ptosim_detail::require_vector_tiles<Dst, Src>();
    PTO_DETAIL_WAIT;
    constexpr bool kTurned = ptosim_detail::all_by_columns<Dst, Src>;
    return ptosim_detail::record_issue(
        PTO_DETAIL_OPCODE(TDIVS), where,
        {ptosim_detail::lanes<kTurned>(dst), ptosim_detail::lanes<kTurned>(src),
         ptosim_detail::scalar(scalar)},
        {ptosim_detail::attribute(PTOSIM_ATTR_HIGH_PRECISION,
                                  Precision_ == DivAlgorithm::HIGH_PRECISION)});
}
template <auto Precision_ = DivAlgorithm::DEFAULT, typename Dst, typename Src>
RecordEvent TDIVS(Dst& dst, typename Dst::DType scalar, Src& src, PTO_DETAIL_EVENTS) {
    ptosim_detail::require_vector_tiles<Dst, Src>();
    PTO_DETAIL_WAIT;
    constexpr bool kTurned = ptosim_detail::all_by_columns<Dst, Src>;
    return ptosim_detail::record_issue(
        PTO_DETAIL_OPCODE(TDIVS), where,
        {ptosim_detail::lanes<kTurned>(dst), ptosim_detail::scalar(scalar),
         ptosim_detail::lanes<kTurned>(src)},
        {ptosim_detail::attribute(PTOSIM_ATTR_HIGH_PRECISION,
                                  Precision_ == DivAlgorithm::HIGH_PRECISION)});
}
template <auto Precision_ = FmodSAlgorithm::DEFAULT, typename Dst, typename Src>
RecordEvent TFMODS(Dst& dst, Src& src, typename Src::DType scalar, PTO_DETAIL_EVENTS) {
    ptosim_detail::require_vector_tiles<Dst, Src>();
    PTO_DETAIL_WAIT;
    return ptosim_detail::record_issue(
        PTO_DETAIL_OPCODE(TFMODS), where,
        {ptosim_detail::operand(dst), ptosim_detail::operand(src), ptosim_detail::scalar(scalar)});
}
template <auto Precision_ = RemSAlgorithm::DEFAULT, typename Dst, typename Src, typename Tmp>
RecordEvent TREMS(Dst& dst, Src& src, typename Src::DType scalar, Tmp& tmp, PTO_DETAIL_EVENTS) {
    ptosim_detail::require_vector_tiles<Dst, Src, Tmp>();
    PTO_DETAIL_WAIT;
    return ptosim_detail::record_issue(
        PTO_DETAIL_OPCODE(TREMS), where,
        {ptosim_detail::operand(dst), ptosim_detail::operand(src), ptosim_detail::scalar(scalar),
         ptosim_detail::operand(tmp)});
}
// Without scratch, as TREM.
template <typename Dst, typename Src>
RecordEvent TREMS(Dst& dst, Src& src, typename Src::DType scalar, PTO_DETAIL_EVENTS) {
    ptosim_detail::require_vector_tiles<Dst, Src>();
    PTO_DETAIL_WAIT;
    return ptosim_detail::record_issue(
        PTO_DETAIL_OPCODE(TREMS), where,
        {ptosim_detail::operand(dst), ptosim_detail::operand(src), ptosim_detail::scalar(scalar)});
}
template <typename Dst, typename Src, typename Tmp>
RecordEvent TXORS(Dst& dst, Src& src, typename Src::DType scalar, Tmp& tmp, PTO_DETAIL_EVENTS) {
    ptosim_detail::require_vector_tiles<Dst, Src, Tmp>();
    PTO_DETAIL_WAIT;
    return ptosim_detail::record_issue(
        PTO_DETAIL_OPCODE(TXORS), where,
        {ptosim_detail::operand(dst), ptosim_detail::operand(src), ptosim_detail::scalar(scalar),
         ptosim_detail::operand(tmp)});
}
template <auto Precision_ = PowAlgorithm::DEFAULT, typename Dst, typename Base, typename Tmp>
RecordEvent TPOWS(Dst& dst, Base& base, typename Dst::DType exponent, Tmp& tmp, PTO_DETAIL_EVENTS) {
    ptosim_detail::require_vector_tiles<Dst, Base, Tmp>();
    PTO_DETAIL_WAIT;
    return ptosim_detail::record_issue(
        PTO_DETAIL_OPCODE(TPOWS), where,
        {ptosim_detail::operand(dst), ptosim_detail::operand(base), ptosim_detail::scalar(exponent),
         ptosim_detail::operand(tmp)},
        {ptosim_detail::attribute(PTOSIM_ATTR_HIGH_PRECISION,
                                  Precision_ == PowAlgorithm::HIGH_PRECISION)});
}
#define PTO_DETAIL_SCALAR_BETWEEN(Name_)                                              \
    template <typename Data>                                                          \
    RecordEvent Name_(Data& dst, Data& src0, typename Data::DType scalar, Data& src1, \
                      PTO_DETAIL_EVENTS) {                                            \
        ptosim_detail::require_vector_tiles<Data>();                                  \
        PTO_DETAIL_WAIT;                                                              \
        return ptosim_detail::record_issue(                                           \
            PTO_DETAIL_OPCODE(Name_), where,                                          \
            {ptosim_detail::operand(dst), ptosim_detail::operand(src0),               \
             ptosim_detail::scalar(scalar), ptosim_detail::operand(src1)});           \
    }
PTO_DETAIL_OPERATIONS_SCALAR_BETWEEN(PTO_DETAIL_SCALAR_BETWEEN)
#undef PTO_DETAIL_SCALAR_BETWEEN

// ---- fills and generators --------------------------------------------------------------------
template <typename Data>
RecordEvent TEXPANDS(Data& dst, typename Data::DType scalar, PTO_DETAIL_EVENTS) {
    PTO_DETAIL_WAIT;
    return ptosim_detail::record_issue(
        PTO_DETAIL_OPCODE(TEXPANDS), where,
        {ptosim_detail::operand(dst), ptosim_detail::scalar(scalar)});
}
template <typename Data, typename T_, int Descending_>
RecordEvent TCI(Data& dst, T_ start, PTO_DETAIL_EVENTS) {
    ptosim_detail::require_vector_tiles<Data>();
    PTO_DETAIL_WAIT;
    return ptosim_detail::record_issue(
        PTO_DETAIL_OPCODE(TCI), where, {ptosim_detail::operand(dst), ptosim_detail::scalar(start)},
        {ptosim_detail::attribute(PTOSIM_ATTR_DESCENDING, Descending_)});
}
template <typename Data, typename Tmp, typename T_, int Descending_>
RecordEvent TCI(Data& dst, T_ start, Tmp& tmp, PTO_DETAIL_EVENTS) {
    ptosim_detail::require_vector_tiles<Data, Tmp>();
    PTO_DETAIL_WAIT;
    // a2a3 counts up from start in scratch, and negates all of it.
    constexpr bool kNegates = Descending_ != 0 && __NPU_ARCH__ == 2201;
    const T_ first = kNegates ? static_cast<T_>(-start) : start;
    return ptosim_detail::record_issue(
        PTO_DETAIL_OPCODE(TCI), where,
        {ptosim_detail::operand(dst), ptosim_detail::scalar(first), ptosim_detail::operand(tmp)},
        {ptosim_detail::attribute(PTOSIM_ATTR_DESCENDING, Descending_)});
}
template <typename Data, int Upper_>
RecordEvent TTRI(Data& dst, int diagonal, PTO_DETAIL_EVENTS) {
    ptosim_detail::require_vector_tiles<Data>();
    PTO_DETAIL_WAIT;
    return ptosim_detail::record_issue(
        PTO_DETAIL_OPCODE(TTRI), where,
        {ptosim_detail::operand(dst), ptosim_detail::scalar(diagonal)},
        {ptosim_detail::attribute(PTOSIM_ATTR_UPPER, Upper_)});
}
template <uint16_t Rounds_ = 10, typename Data>
RecordEvent TRANDOM(Data& dst, TRandomKey& key, TRandomCounter& counter, PTO_DETAIL_EVENTS) {
    ptosim_detail::require_vector_tiles<Data>();
    PTO_DETAIL_WAIT;
    return ptosim_detail::record_issue(
        PTO_DETAIL_OPCODE(TRANDOM), where,
        {ptosim_detail::operand(dst), ptosim_detail::scalar(key[0]), ptosim_detail::scalar(key[1]),
         ptosim_detail::scalar(counter[0]), ptosim_detail::scalar(counter[1]),
         ptosim_detail::scalar(counter[2]), ptosim_detail::scalar(counter[3])},
        {ptosim_detail::attribute(PTOSIM_ATTR_ROUNDS, Rounds_)});
}

}  // namespace pto
