// Type that describes the fixpipe's processing of data leaving L0C, for TPUSH.
#pragma once

#include "pto/common/type.hpp"

namespace pto {

enum ClipReluMode_t { NOCLIP_RELU = 0, CLIP_RELU = 1 };
enum class LayoutMode_t : uint8_t { NZ2NZ = 0, NZ2ND = 1, NZ2DN = 2 };
enum class DequantType { SCALAR = 0, TENSOR = 1 };

template <LayoutMode_t Layout_ = LayoutMode_t::NZ2ND, QuantMode_t Quant_ = QuantMode_t::NoQuant,
          ReluPreMode Relu_ = ReluPreMode::NoRelu, STPhase Phase_ = STPhase::Unspecified,
          uint8_t SubBlock_ = 0, AtomicType Atomic_ = AtomicType::AtomicNone,
          ClipReluMode_t Clip_ = ClipReluMode_t::NOCLIP_RELU, bool ChannelSplit_ = false>
struct FixpipeParams {
    static constexpr LayoutMode_t LayoutMode = Layout_;
    static constexpr QuantMode_t QuantPre = Quant_;
    static constexpr ReluPreMode ReluMode = Relu_;
    static constexpr STPhase Phase = Phase_;
    static constexpr uint8_t SubBlockId = SubBlock_;
    static constexpr AtomicType AtomicT = Atomic_;
    static constexpr ClipReluMode_t ClipReluMode = Clip_;
    static constexpr bool IsChannelSplit = ChannelSplit_;
};

namespace ptosim_detail {

constexpr bool makes_half(QuantMode_t mode) {
    return mode == F322F16 || mode == QF322F16_PRE || mode == DEQF16 || mode == VDEQF16;
}
constexpr bool makes_bfloat16(QuantMode_t mode) {
    return mode == F322BF16 || mode == QF322BF16_PRE || mode == QS322BF16_PRE ||
           mode == VQS322BF16_PRE;
}
constexpr bool makes_int8(QuantMode_t mode) {
    return mode == QF322B8_PRE || mode == VQF322B8_PRE || mode == REQ8 || mode == VREQ8;
}
constexpr bool takes_scale(QuantMode_t mode) {
    return mode == QF322B8_PRE || mode == QF322F16_PRE || mode == QF322BF16_PRE ||
           mode == QS322BF16_PRE || mode == REQ8 || mode == DEQF16 || mode == QF322HIF8_PRE ||
           mode == QF322FP8_PRE;
}
constexpr bool takes_scales(QuantMode_t mode) {
    return mode == VQF322B8_PRE || mode == VQS322BF16_PRE || mode == VREQ8 || mode == VDEQF16;
}

}  // namespace ptosim_detail

// The element type that a fixpipe mode makes.
template <QuantMode_t Mode_, typename Source>
using FixpipeConsDType_t = std::conditional_t<
    ptosim_detail::makes_half(Mode_), half,
    std::conditional_t<
        ptosim_detail::makes_bfloat16(Mode_), bfloat16_t,
        std::conditional_t<
            ptosim_detail::makes_int8(Mode_), int8_t,
            std::conditional_t<Mode_ == QF322HIF8_PRE, hifloat8_t,
                               std::conditional_t<Mode_ == QF322FP8_PRE, float8_e4m3_t, Source>>>>>;

}  // namespace pto
