// op::bfloat16, which programs of the host name for bf16.
#ifndef PTOSIM_OPDEV_BFLOAT16_H
#define PTOSIM_OPDEV_BFLOAT16_H

#include "opdev/host_number.h"

namespace op {
namespace ptosim_detail {

struct Bf16Format {
    static uint16_t narrow(float number) {
        const uint32_t bits = bits_of(number);
        const bool nan = (bits & 0x7FFFFFFFu) > 0x7F800000u;
        return static_cast<uint16_t>(nan ? bits >> 16 | 0x40u : rounded(bits, 16));
    }
    static float widen(uint16_t bits) { return float_of(static_cast<uint32_t>(bits) << 16); }
};

}  // namespace ptosim_detail

using bfloat16 = ptosim_detail::HostNumber<ptosim_detail::Bf16Format>;

}  // namespace op

#endif
