// op::fp16_t, which programs of the host name for half-precision numbers.
#ifndef PTOSIM_OPDEV_FP16_T_H
#define PTOSIM_OPDEV_FP16_T_H

#include "opdev/host_number.h"

namespace op {
namespace ptosim_detail {

struct Fp16Format {
    static uint16_t narrow(float number) {
        const uint32_t bits = bits_of(number), sign = bits >> 16 & 0x8000u, size = bits & 0x7FFFFFFFu;
        if (size > 0x7F800000u) return static_cast<uint16_t>(sign | 0x7E00u);
        if (size >= 0x477FF000u) return static_cast<uint16_t>(sign | 0x7C00u);  // 65520 and more
        if (size >= 0x38800000u)  // a normal number: the exponent's offset is 15 and not 127
            return static_cast<uint16_t>(sign | rounded(size - 0x38000000u, 13));
        if (size < 0x33000000u) return static_cast<uint16_t>(sign);
        const uint32_t fraction = (size & 0x7FFFFFu) | 0x800000u;
        return static_cast<uint16_t>(sign | rounded(fraction, 126 - (size >> 23)));
    }
    static float widen(uint16_t bits) {
        const uint32_t sign = (bits & 0x8000u) << 16, exponent = bits >> 10 & 31, fraction = bits & 0x3FFu;
        if (exponent == 31) return float_of(sign | 0x7F800000u | fraction << 13);
        if (exponent != 0) return float_of(sign | (exponent + 112) << 23 | fraction << 13);
        const float size = static_cast<float>(fraction) * 0x1p-24f;
        return sign != 0 ? -size : size;
    }
};

}  // namespace ptosim_detail

using fp16_t = ptosim_detail::HostNumber<ptosim_detail::Fp16Format>;

}  // namespace op

#endif
