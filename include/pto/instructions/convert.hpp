// Conversions between number types, and quantisation.
#pragma once

#include "pto/instructions/operation.hpp"

namespace pto {

// ---- TCVT ------------------------------------------------------------------------------------
// NeedCtrl_ of the device API says who sets the saturation bit; the instruction carries it here.
template <bool NeedCtrl_ = true, typename Dst, typename Src>
RecordEvent TCVT(Dst& dst, Src& src, RoundMode mode, PTO_DETAIL_EVENTS) {
    PTO_DETAIL_WAIT;
    return ptosim_detail::issue_vector(PTO_DETAIL_OPCODE(TCVT), where,
                                       {ptosim_detail::attribute(PTOSIM_ATTR_ROUND, mode)}, dst,
                                       src);
}
template <bool NeedCtrl_ = true, typename Dst, typename Src>
RecordEvent TCVT(Dst& dst, Src& src, RoundMode mode, SaturationMode saturation, PTO_DETAIL_EVENTS) {
    PTO_DETAIL_WAIT;
    return ptosim_detail::issue_vector(
        PTO_DETAIL_OPCODE(TCVT), where,
        {ptosim_detail::attribute(PTOSIM_ATTR_ROUND, mode),
         ptosim_detail::attribute(PTOSIM_ATTR_SATURATION, saturation)},
        dst, src);
}
template <bool NeedCtrl_ = true, typename Dst, typename Src, typename Tmp>
RecordEvent TCVT(Dst& dst, Src& src, Tmp& tmp, RoundMode mode, PTO_DETAIL_EVENTS) {
    PTO_DETAIL_WAIT;
    return ptosim_detail::issue_vector(PTO_DETAIL_OPCODE(TCVT), where,
                                       {ptosim_detail::attribute(PTOSIM_ATTR_ROUND, mode)}, dst,
                                       src, tmp);
}
template <bool NeedCtrl_ = true, typename Dst, typename Src, typename Tmp>
RecordEvent TCVT(Dst& dst, Src& src, Tmp& tmp, RoundMode mode, SaturationMode saturation,
                 PTO_DETAIL_EVENTS) {
    PTO_DETAIL_WAIT;
    return ptosim_detail::issue_vector(
        PTO_DETAIL_OPCODE(TCVT), where,
        {ptosim_detail::attribute(PTOSIM_ATTR_ROUND, mode),
         ptosim_detail::attribute(PTOSIM_ATTR_SATURATION, saturation)},
        dst, src, tmp);
}

// ---- TQUANT to 8-bit integers ----------------------------------------------------------------
namespace ptosim_detail {

template <class Data>
ptosim_operand maybe(Data* tile) {
    return tile == nullptr ? none() : operand(*tile);
}

}  // namespace ptosim_detail

template <auto Type_, typename Dst, typename Src, typename Scale>
RecordEvent TQUANT(Dst& dst, Src& src, Scale& scale, Scale* offset = nullptr, PTO_DETAIL_EVENTS) {
    ptosim_detail::require_vector_tiles<Dst, Src, Scale>();
    PTO_DETAIL_WAIT;
    return ptosim_detail::record_issue(
        PTO_DETAIL_OPCODE(TQUANT), where,
        {ptosim_detail::operand(dst), ptosim_detail::operand(src), ptosim_detail::operand(scale),
         ptosim_detail::maybe(offset)},
        {ptosim_detail::attribute(PTOSIM_ATTR_QUANT, Type_)});
}
template <auto Type_, typename Dst, typename Src, typename Scale, typename Tmp>
RecordEvent TQUANT(Dst& dst, Src& src, Scale& scale, Tmp& tmp, Scale* offset = nullptr,
                   PTO_DETAIL_EVENTS) {
    ptosim_detail::require_vector_tiles<Dst, Src, Scale, Tmp>();
    PTO_DETAIL_WAIT;
    return ptosim_detail::record_issue(
        PTO_DETAIL_OPCODE(TQUANT), where,
        {ptosim_detail::operand(dst), ptosim_detail::operand(src), ptosim_detail::operand(scale),
         ptosim_detail::maybe(offset), ptosim_detail::operand(tmp)},
        {ptosim_detail::attribute(PTOSIM_ATTR_QUANT, Type_)});
}
template <typename Dst, typename Src, typename Scale>
RecordEvent TDEQUANT(Dst& dst, Src& src, Scale& scale, Scale& offset, PTO_DETAIL_EVENTS) {
    PTO_DETAIL_WAIT;
    return ptosim_detail::issue_vector(PTO_DETAIL_OPCODE(TDEQUANT), where, {}, dst, src, scale,
                                       offset);
}

#ifdef PTO_NPU_ARCH_A5
// ---- TQUANT to 8- and 4-bit floats with scales -----------------------------------------------
namespace ptosim_detail {

struct MxModes {
    int type;
    bool nvidia = false;
    bool group_rows = false;
    bool interleave = false;
};

// The written region follows from the valid region of the source, whatever the valid regions of the other tiles;
// elements of 4 bits are laid out as in the source (hw-native-sys/pto-isa include/pto/npu/a5/TQuant.hpp).
inline ptosim_operand quantised(ptosim_tile tile, const ptosim_tile& src) {
    if (tile.dtype == PTOSIM_E2M1) {
        tile.rows = src.rows;
        tile.cols = src.cols;
    }
    tile.valid_rows = src.valid_rows;
    tile.valid_cols = src.valid_cols;
    return operand(tile);
}
inline ptosim_operand of_groups(ptosim_tile tile, const ptosim_tile& src, const MxModes& modes,
                                bool interleave) {
    if (!modes.group_rows && tile.rows == 1) return operand(tile);
    tile.valid_rows = modes.group_rows ? src.valid_rows / 32 : src.valid_rows;
    tile.valid_cols = modes.group_rows ? src.valid_cols : src.valid_cols / 32;
    if (interleave) {
        tile.valid_rows /= 2;
        tile.valid_cols *= 2;
    }
    return operand(tile);
}

template <class Dst, class Src, class Exp, class Max, class Scaling>
RecordEvent quantise_mx(Dst& dst, Src& src, Exp* exp, Max* max, Scaling* scaling,
                        const ptosim_operand& exp_zz, MxModes modes, ptosim_location where) {
    const ptosim_tile from = record(src);
    return record_issue(PTO_DETAIL_OPCODE(TQUANT_MX), where,
                        {quantised(record(dst), from), operand(from),
                         of_groups(record(*exp), from, modes, modes.interleave),
                         of_groups(record(*max), from, modes, false),
                         of_groups(record(*scaling), from, modes, false), exp_zz},
                        {attribute(PTOSIM_ATTR_QUANT, modes.type),
                         attribute(PTOSIM_ATTR_NVIDIA_SCALE, modes.nvidia),
                         attribute(PTOSIM_ATTR_GROUP_ROWS, modes.group_rows),
                         attribute(PTOSIM_ATTR_INTERLEAVE, modes.interleave)});
}
constexpr MxModes modes_of(MxQuantAlg algorithm) {
    static_assert(static_cast<int>(MxQuantAlg::NvMxFp4E2M1) == 3, "PTO: two bits");
    const int bits = static_cast<int>(algorithm);
    return {bits == 4 ? 4 : bits >> 1, (bits & 1) != 0};
}

}  // namespace ptosim_detail

template <auto Type_, typename Dst, typename Src, typename Exp, typename Max, typename Scaling,
          auto Scale_ = QuantScaleAlg::OCP>
RecordEvent TQUANT(Dst& dst, Src& src, Exp* exp, Max* max, Scaling* scaling, PTO_DETAIL_EVENTS) {
    PTO_DETAIL_WAIT;
    return ptosim_detail::quantise_mx(dst, src, exp, max, scaling, ptosim_detail::none(),
                                      {static_cast<int>(Type_), Scale_ == QuantScaleAlg::NV},
                                      where);
}
template <auto Type_, auto Store_, typename Dst, typename Src, typename Exp, typename Max,
          typename Scaling>
RecordEvent TQUANT(Dst& dst, Src& src, Exp* exp, Max* max, Scaling* scaling, Exp* exp_zz,
                   PTO_DETAIL_EVENTS) {
    PTO_DETAIL_WAIT;
    return ptosim_detail::quantise_mx(dst, src, exp, max, scaling, ptosim_detail::maybe(exp_zz),
                                      {static_cast<int>(Type_)}, where);
}
template <int Axis_, auto Algorithm_, typename Dst = void, typename Src = void, typename Exp = void,
          typename Max = void, typename Scaling = void>
RecordEvent TQUANT(Dst& dst, Src& src, Exp* exp, Max* max, Scaling* scaling, PTO_DETAIL_EVENTS) {
    PTO_DETAIL_WAIT;
    ptosim_detail::MxModes modes = ptosim_detail::modes_of(Algorithm_);
    modes.group_rows = Axis_ == 0;
    return ptosim_detail::quantise_mx(dst, src, exp, max, scaling, ptosim_detail::none(), modes,
                                      where);
}
template <int Axis_, auto Algorithm_, bool Interleave_, typename Dst = void, typename Src = void,
          typename Exp = void, typename Max = void, typename Scaling = void>
RecordEvent TQUANT(Dst& dst, Src& src, Exp* exp, Max* max, Scaling* scaling, PTO_DETAIL_EVENTS) {
    PTO_DETAIL_WAIT;
    ptosim_detail::MxModes modes = ptosim_detail::modes_of(Algorithm_);
    modes.group_rows = Axis_ == 0;
    modes.interleave = Interleave_;
    return ptosim_detail::quantise_mx(dst, src, exp, max, scaling, ptosim_detail::none(), modes,
                                      where);
}
#endif

}  // namespace pto
