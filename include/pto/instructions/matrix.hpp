// Matrix products.
#pragma once

#include "pto/common/intrinsics.hpp"
#include "pto/instructions/operation.hpp"

namespace pto {

namespace detail {

// How f32 factors are rounded first: CTRL bits 46 and 47, set by Tile::SetMadTF32Mode.
inline int tf32_mode() {
    const int64_t control = get_ctrl();
    if (((control >> MAD_MODE_BIT) & 1) == 0) return 0;
    return ((control >> MAD_ROUND_MODE_BIT) & 1) != 0 ? 1 : 2;
}

template <class C, class A, class B>
constexpr void require_factors() {
    static_assert(C::Loc == TileType::Acc, "PTO: a product is a tile of L0C (TileAcc)");
    static_assert(A::Loc == TileType::Left, "PTO: the left factor is a tile of L0A (TileLeft)");
    static_assert(B::Loc == TileType::Right, "PTO: the right factor is a tile of L0B (TileRight)");
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

}  // namespace detail

// NAME, NAME_ACC and NAME_BIAS, each with and without a unit-flag phase.
#define PTO_DETAIL_PRODUCT(NAME)                                                                  \
    template <AccPhase PHASE, typename C, typename A, typename B>                                 \
    RecordEvent NAME(C& c, A& a, B& b, PTO_DETAIL_EVENTS) {                                       \
        detail::require_factors<C, A, B>();                                                       \
        PTO_DETAIL_WAIT;                                                                          \
        return detail::product(PTO_DETAIL_OPCODE(NAME), PHASE, where,                             \
                               {detail::operand(c), detail::operand(a), detail::operand(b)});     \
    }                                                                                             \
    template <typename C, typename A, typename B>                                                 \
    RecordEvent NAME(C& c, A& a, B& b, PTO_DETAIL_EVENTS) {                                       \
        return NAME<AccPhase::Unspecified>(c, a, b, e0, e1, e2, e3, where);                       \
    }                                                                                             \
    template <AccPhase PHASE, typename C, typename A, typename B,                                 \
              std::enable_if_t<is_tile_data_v<B>, int> = 0>                                       \
    RecordEvent NAME##_ACC(C& out, C& in, A& a, B& b, PTO_DETAIL_EVENTS) {                        \
        detail::require_factors<C, A, B>();                                                       \
        PTO_DETAIL_WAIT;                                                                          \
        return detail::product(                                                                   \
            PTO_DETAIL_OPCODE(NAME##_ACC), PHASE, where,                                          \
            {detail::operand(out), detail::operand(in), detail::operand(a), detail::operand(b)}); \
    }                                                                                             \
    template <typename C, typename A, typename B, std::enable_if_t<is_tile_data_v<B>, int> = 0>   \
    RecordEvent NAME##_ACC(C& out, C& in, A& a, B& b, PTO_DETAIL_EVENTS) {                        \
        return NAME##_ACC<AccPhase::Unspecified>(out, in, a, b, e0, e1, e2, e3, where);           \
    }                                                                                             \
    template <AccPhase PHASE = AccPhase::Unspecified, typename C, typename A, typename B>         \
    RecordEvent NAME##_ACC(C& c, A& a, B& b, PTO_DETAIL_EVENTS) {                                 \
        return NAME##_ACC<PHASE>(c, c, a, b, e0, e1, e2, e3, where);                              \
    }                                                                                             \
    template <AccPhase PHASE, typename C, typename A, typename B, typename Bias>                  \
    RecordEvent NAME##_BIAS(C& c, A& a, B& b, Bias& bias, PTO_DETAIL_EVENTS) {                    \
        detail::require_factors<C, A, B>();                                                       \
        PTO_DETAIL_WAIT;                                                                          \
        return detail::product(                                                                   \
            PTO_DETAIL_OPCODE(NAME##_BIAS), PHASE, where,                                         \
            {detail::operand(c), detail::operand(a), detail::operand(b), detail::operand(bias)}); \
    }                                                                                             \
    template <typename C, typename A, typename B, typename Bias>                                  \
    RecordEvent NAME##_BIAS(C& c, A& a, B& b, Bias& bias, PTO_DETAIL_EVENTS) {                    \
        return NAME##_BIAS<AccPhase::Unspecified>(c, a, b, bias, e0, e1, e2, e3, where);          \
    }
PTO_DETAIL_PRODUCT(TMATMUL)
PTO_DETAIL_PRODUCT(TGEMV)
#undef PTO_DETAIL_PRODUCT

#ifdef PTO_NPU_ARCH_A5
namespace detail {
template <class T>
inline constexpr bool is_accumulator = false;
template <typename E, const int R, const int C, const BLayout B, const int RV, const int CV,
          const SLayout S, const int F, auto P, const CompactMode M>
inline constexpr bool is_accumulator<Tile<TileType::Acc, E, R, C, B, RV, CV, S, F, P, M>> = true;
}  // namespace detail

// Factors of 4 or 8 bits with a scale for each 32 elements along k.
#define PTO_DETAIL_SCALED_PRODUCT(NAME)                                                            \
    template <AccPhase PHASE, typename C, typename A, typename SA, typename B, typename SB,        \
              std::enable_if_t<!detail::is_accumulator<A>, int> = 0>                               \
    RecordEvent NAME(C& c, A& a, SA& a_scale, B& b, SB& b_scale, PTO_DETAIL_EVENTS) {              \
        detail::require_factors<C, A, B>();                                                        \
        PTO_DETAIL_WAIT;                                                                           \
        return detail::product(PTO_DETAIL_OPCODE(NAME), PHASE, where,                              \
                               {detail::operand(c), detail::operand(a), detail::operand(a_scale),  \
                                detail::operand(b), detail::operand(b_scale)});                    \
    }                                                                                              \
    template <typename C, typename A, typename SA, typename B, typename SB,                        \
              std::enable_if_t<!detail::is_accumulator<A>, int> = 0>                               \
    RecordEvent NAME(C& c, A& a, SA& a_scale, B& b, SB& b_scale, PTO_DETAIL_EVENTS) {              \
        return NAME<AccPhase::Unspecified>(c, a, a_scale, b, b_scale, e0, e1, e2, e3, where);      \
    }                                                                                              \
    template <AccPhase PHASE, typename C, typename A, typename SA, typename B, typename SB>        \
    RecordEvent NAME(C& out, C& in, A& a, SA& a_scale, B& b, SB& b_scale, PTO_DETAIL_EVENTS) {     \
        detail::require_factors<C, A, B>();                                                        \
        PTO_DETAIL_WAIT;                                                                           \
        return detail::product(                                                                    \
            PTO_DETAIL_OPCODE(NAME##_ACC), PHASE, where,                                           \
            {detail::operand(out), detail::operand(in), detail::operand(a),                        \
             detail::operand(a_scale), detail::operand(b), detail::operand(b_scale)});             \
    }                                                                                              \
    template <typename C, typename A, typename SA, typename B, typename SB>                        \
    RecordEvent NAME(C& out, C& in, A& a, SA& a_scale, B& b, SB& b_scale, PTO_DETAIL_EVENTS) {     \
        return NAME<AccPhase::Unspecified>(out, in, a, a_scale, b, b_scale, e0, e1, e2, e3,        \
                                           where);                                                 \
    }                                                                                              \
    template <AccPhase PHASE, typename C, typename A, typename SA, typename B, typename SB,        \
              typename Bias, std::enable_if_t<is_tile_data_v<Bias>, int> = 0,                      \
              std::enable_if_t<!detail::is_accumulator<A>, int> = 0>                               \
    RecordEvent NAME(C& c, A& a, SA& a_scale, B& b, SB& b_scale, Bias& bias, PTO_DETAIL_EVENTS) {  \
        detail::require_factors<C, A, B>();                                                        \
        PTO_DETAIL_WAIT;                                                                           \
        return detail::product(                                                                    \
            PTO_DETAIL_OPCODE(NAME##_BIAS), PHASE, where,                                          \
            {detail::operand(c), detail::operand(a), detail::operand(a_scale), detail::operand(b), \
             detail::operand(b_scale), detail::operand(bias)});                                    \
    }                                                                                              \
    template <typename C, typename A, typename SA, typename B, typename SB, typename Bias,         \
              std::enable_if_t<is_tile_data_v<Bias>, int> = 0,                                     \
              std::enable_if_t<!detail::is_accumulator<A>, int> = 0>                               \
    RecordEvent NAME(C& c, A& a, SA& a_scale, B& b, SB& b_scale, Bias& bias, PTO_DETAIL_EVENTS) {  \
        return NAME<AccPhase::Unspecified>(c, a, a_scale, b, b_scale, bias, e0, e1, e2, e3,        \
                                           where);                                                 \
    }
PTO_DETAIL_SCALED_PRODUCT(TMATMUL_MX)
PTO_DETAIL_SCALED_PRODUCT(TGEMV_MX)
#undef PTO_DETAIL_SCALED_PRODUCT
#endif

template <TileType L, typename E, const int R, const int C, const BLayout B, const int RV,
          const int CV, const SLayout S, const int F, auto P, const CompactMode M>
void Tile<L, E, R, C, B, RV, CV, S, F, P, M>::SetMadTF32Mode(RoundMode mode) {
    set_ctrl(sbitset1(get_ctrl(), MAD_MODE_BIT));
    set_ctrl(mode == RoundMode::CAST_RINT ? sbitset0(get_ctrl(), MAD_ROUND_MODE_BIT)
                                          : sbitset1(get_ctrl(), MAD_ROUND_MODE_BIT));
}
template <TileType L, typename E, const int R, const int C, const BLayout B, const int RV,
          const int CV, const SLayout S, const int F, auto P, const CompactMode M>
void Tile<L, E, R, C, B, RV, CV, S, F, P, M>::ResetMadMode() {
    set_ctrl(sbitset0(get_ctrl(), MAD_MODE_BIT));
}

}  // namespace pto
