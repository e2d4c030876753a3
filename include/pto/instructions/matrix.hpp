// Matrix products.
#pragma once

#include "pto/common/intrinsics.hpp"
#include "pto/instructions/operation.hpp"

namespace pto {

namespace ptosim_detail {

// First rounding of f32 factors: CTRL bits 46 and 47, set by Tile::SetMadTF32Mode.
inline int tf32_mode() {
    const int64_t control = get_ctrl();
    if (((control >> MAD_MODE_BIT) & 1) == 0) return 0;
    return ((control >> MAD_ROUND_MODE_BIT) & 1) != 0 ? 1 : 2;
}

template <class C_, class A_, class B_>
constexpr void require_factors() {
    static_assert(C_::Loc == TileType::Acc, "PTO: a product is a tile of L0C (TileAcc)");
    static_assert(A_::Loc == TileType::Left, "PTO: the left factor is a tile of L0A (TileLeft)");
    static_assert(B_::Loc == TileType::Right, "PTO: the right factor is a tile of L0B (TileRight)");
}

// The factors alone decide which part of an accumulator a product reads and writes, whatever part of it is valid for
// later instructions.
template <class A_, class B_>
ptosim_operand accumulator(const TileBase& tile, const A_& a, const B_& b) {
    ptosim_tile result = record(tile);
    result.valid_rows = static_cast<int32_t>(a.GetValidRow());
    result.valid_cols = static_cast<int32_t>(b.GetValidCol());
    return operand(result);
}

// The left factor.
template <class A_>
ptosim_operand factor(const A_& a) {
    ptosim_tile result = record(a);
    align_columns(result, a);
    return operand(result);
}

inline RecordEvent product(Opcode opcode, AccPhase phase, ptosim_location where,
                           std::initializer_list<ptosim_operand> operands) {
    const int tf32 = tf32_mode();
    if (tf32 == 0) {
        return record_issue(opcode, where, operands, {attribute(PTOSIM_ATTR_PHASE, phase)});
    }
    return record_issue(opcode, where, operands,
                        {attribute(PTOSIM_ATTR_PHASE, phase), attribute(PTOSIM_ATTR_TF32, tf32)});
}

}  // namespace ptosim_detail

// Name_, NAME_ACC and NAME_BIAS, each with and without a unit-flag phase.
#define PTO_DETAIL_PRODUCT(Name_)                                                             \
    template <AccPhase Phase_, typename C_, typename A_, typename B_>                         \
    RecordEvent Name_(C_& c, A_& a, B_& b, PTO_DETAIL_EVENTS) {                               \
        ptosim_detail::require_factors<C_, A_, B_>();                                         \
        PTO_DETAIL_WAIT;                                                                      \
        return ptosim_detail::product(PTO_DETAIL_OPCODE(Name_), Phase_, where,                \
                                      {ptosim_detail::accumulator(c, a, b),                   \
                                       ptosim_detail::factor(a), ptosim_detail::operand(b)});  \
    }                                                                                         \
    template <typename C_, typename A_, typename B_>                                          \
    RecordEvent Name_(C_& c, A_& a, B_& b, PTO_DETAIL_EVENTS) {                               \
        return Name_<AccPhase::Unspecified>(c, a, b, e0, e1, e2, e3, where);                  \
    }                                                                                         \
    template <AccPhase Phase_, typename C_, typename A_, typename B_,                         \
              std::enable_if_t<is_tile_data_v<B_>, int> = 0>                                  \
    RecordEvent Name_##_ACC(C_& out, C_& in, A_& a, B_& b, PTO_DETAIL_EVENTS) {               \
        ptosim_detail::require_factors<C_, A_, B_>();                                         \
        PTO_DETAIL_WAIT;                                                                      \
        return ptosim_detail::product(                                                        \
            PTO_DETAIL_OPCODE(Name_##_ACC), Phase_, where,                                    \
            {ptosim_detail::accumulator(out, a, b), ptosim_detail::accumulator(in, a, b),     \
             ptosim_detail::factor(a), ptosim_detail::operand(b)});                            \
    }                                                                                         \
    template <typename C_, typename A_, typename B_,                                          \
              std::enable_if_t<is_tile_data_v<B_>, int> = 0>                                  \
    RecordEvent Name_##_ACC(C_& out, C_& in, A_& a, B_& b, PTO_DETAIL_EVENTS) {               \
        return Name_##_ACC<AccPhase::Unspecified>(out, in, a, b, e0, e1, e2, e3, where);      \
    }                                                                                         \
    template <AccPhase Phase_ = AccPhase::Unspecified, typename C_, typename A_, typename B_> \
    RecordEvent Name_##_ACC(C_& c, A_& a, B_& b, PTO_DETAIL_EVENTS) {                         \
        return Name_##_ACC<Phase_>(c, c, a, b, e0, e1, e2, e3, where);                        \
    }                                                                                         \
    template <AccPhase Phase_, typename C_, typename A_, typename B_, typename Bias>          \
    RecordEvent Name_##_BIAS(C_& c, A_& a, B_& b, Bias& bias, PTO_DETAIL_EVENTS) {            \
        static_assert(std::is_same_v<typename C_::DType, typename Bias::DType>,               \
                      "the bias has the type of the accumulator");                            \
        ptosim_detail::require_factors<C_, A_, B_>();                                         \
        PTO_DETAIL_WAIT;                                                                      \
        return ptosim_detail::product(                                                        \
            PTO_DETAIL_OPCODE(Name_##_BIAS), Phase_, where,                                   \
            {ptosim_detail::accumulator(c, a, b), ptosim_detail::factor(a),                   \
             ptosim_detail::operand(b), ptosim_detail::operand(bias)});                        \
    }                                                                                         \
    template <typename C_, typename A_, typename B_, typename Bias>                           \
    RecordEvent Name_##_BIAS(C_& c, A_& a, B_& b, Bias& bias, PTO_DETAIL_EVENTS) {            \
        return Name_##_BIAS<AccPhase::Unspecified>(c, a, b, bias, e0, e1, e2, e3, where);     \
    }
PTO_DETAIL_PRODUCT(TMATMUL)
PTO_DETAIL_PRODUCT(TGEMV)
#undef PTO_DETAIL_PRODUCT

#ifdef PTO_NPU_ARCH_A5
namespace ptosim_detail {
template <class T_>
inline constexpr bool is_accumulator = false;
template <typename E_, const int R_, const int C_, const BLayout B_, const int Rv_, const int Cv_,
          const SLayout S_, const int F_, auto P_, const CompactMode M_>
inline constexpr bool
    is_accumulator<Tile<TileType::Acc, E_, R_, C_, B_, Rv_, Cv_, S_, F_, P_, M_>> = true;
}  // namespace ptosim_detail

// Factors of 4 or 8 bits with a scale for each 32 elements along k.
#define PTO_DETAIL_SCALED_PRODUCT(Name_)                                                          \
    template <AccPhase Phase_, typename C_, typename A_, typename Sa_, typename B_, typename Sb_, \
              std::enable_if_t<!ptosim_detail::is_accumulator<A_>, int> = 0>                      \
    RecordEvent Name_(C_& c, A_& a, Sa_& a_scale, B_& b, Sb_& b_scale, PTO_DETAIL_EVENTS) {       \
        ptosim_detail::require_factors<C_, A_, B_>();                                             \
        PTO_DETAIL_WAIT;                                                                          \
        return ptosim_detail::product(                                                            \
            PTO_DETAIL_OPCODE(Name_), Phase_, where,                                              \
            {ptosim_detail::accumulator(c, a, b), ptosim_detail::factor(a),                       \
             ptosim_detail::operand(a_scale), ptosim_detail::operand(b),                           \
             ptosim_detail::operand(b_scale)});                                                   \
    }                                                                                             \
    template <typename C_, typename A_, typename Sa_, typename B_, typename Sb_,                  \
              std::enable_if_t<!ptosim_detail::is_accumulator<A_>, int> = 0>                      \
    RecordEvent Name_(C_& c, A_& a, Sa_& a_scale, B_& b, Sb_& b_scale, PTO_DETAIL_EVENTS) {       \
        return Name_<AccPhase::Unspecified>(c, a, a_scale, b, b_scale, e0, e1, e2, e3, where);    \
    }                                                                                             \
    template <AccPhase Phase_, typename C_, typename A_, typename Sa_, typename B_, typename Sb_> \
    RecordEvent Name_(C_& out, C_& in, A_& a, Sa_& a_scale, B_& b, Sb_& b_scale,                  \
                      PTO_DETAIL_EVENTS) {                                                        \
        ptosim_detail::require_factors<C_, A_, B_>();                                             \
        PTO_DETAIL_WAIT;                                                                          \
        return ptosim_detail::product(                                                            \
            PTO_DETAIL_OPCODE(Name_##_ACC), Phase_, where,                                        \
            {ptosim_detail::accumulator(out, a, b), ptosim_detail::accumulator(in, a, b),         \
             ptosim_detail::factor(a), ptosim_detail::operand(a_scale), ptosim_detail::operand(b), \
             ptosim_detail::operand(b_scale)});                                                   \
    }                                                                                             \
    template <typename C_, typename A_, typename Sa_, typename B_, typename Sb_>                  \
    RecordEvent Name_(C_& out, C_& in, A_& a, Sa_& a_scale, B_& b, Sb_& b_scale,                  \
                      PTO_DETAIL_EVENTS) {                                                        \
        return Name_<AccPhase::Unspecified>(out, in, a, a_scale, b, b_scale, e0, e1, e2, e3,      \
                                            where);                                               \
    }                                                                                             \
    template <AccPhase Phase_, typename C_, typename A_, typename Sa_, typename B_, typename Sb_, \
              typename Bias, std::enable_if_t<is_tile_data_v<Bias>, int> = 0,                     \
              std::enable_if_t<!ptosim_detail::is_accumulator<A_>, int> = 0>                      \
    RecordEvent Name_(C_& c, A_& a, Sa_& a_scale, B_& b, Sb_& b_scale, Bias& bias,                \
                      PTO_DETAIL_EVENTS) {                                                        \
        ptosim_detail::require_factors<C_, A_, B_>();                                             \
        PTO_DETAIL_WAIT;                                                                          \
        return ptosim_detail::product(                                                            \
            PTO_DETAIL_OPCODE(Name_##_BIAS), Phase_, where,                                       \
            {ptosim_detail::accumulator(c, a, b), ptosim_detail::factor(a),                       \
             ptosim_detail::operand(a_scale), ptosim_detail::operand(b),                           \
             ptosim_detail::operand(b_scale), ptosim_detail::operand(bias)});                     \
    }                                                                                             \
    template <typename C_, typename A_, typename Sa_, typename B_, typename Sb_, typename Bias,   \
              std::enable_if_t<is_tile_data_v<Bias>, int> = 0,                                    \
              std::enable_if_t<!ptosim_detail::is_accumulator<A_>, int> = 0>                      \
    RecordEvent Name_(C_& c, A_& a, Sa_& a_scale, B_& b, Sb_& b_scale, Bias& bias,                \
                      PTO_DETAIL_EVENTS) {                                                        \
        return Name_<AccPhase::Unspecified>(c, a, a_scale, b, b_scale, bias, e0, e1, e2, e3,      \
                                            where);                                               \
    }
PTO_DETAIL_SCALED_PRODUCT(TMATMUL_MX)
PTO_DETAIL_SCALED_PRODUCT(TGEMV_MX)
#undef PTO_DETAIL_SCALED_PRODUCT
#endif

template <TileType L_, typename E_, const int R_, const int C_, const BLayout B_, const int Rv_,
          const int Cv_, const SLayout S_, const int F_, auto P_, const CompactMode M_>
void Tile<L_, E_, R_, C_, B_, Rv_, Cv_, S_, F_, P_, M_>::SetMadTF32Mode(RoundMode mode) {
    set_ctrl(sbitset1(get_ctrl(), MAD_MODE_BIT));
    set_ctrl(mode == RoundMode::CAST_RINT ? sbitset0(get_ctrl(), MAD_ROUND_MODE_BIT)
                                          : sbitset1(get_ctrl(), MAD_ROUND_MODE_BIT));
}
template <TileType L_, typename E_, const int R_, const int C_, const BLayout B_, const int Rv_,
          const int Cv_, const SLayout S_, const int F_, auto P_, const CompactMode M_>
void Tile<L_, E_, R_, C_, B_, Rv_, Cv_, S_, F_, P_, M_>::ResetMadMode() {
    set_ctrl(sbitset0(get_ctrl(), MAD_MODE_BIT));
}

}  // namespace pto
