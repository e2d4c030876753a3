// Formats of 8 and 4 bits that scalar code only copies.
#pragma once

#include <stdint.h>

namespace pto::ptosim_detail {

// A number that scalar code carries about and does not compute with.
template <int Tag_>
struct Opaque8 {
    uint8_t bits;
    Opaque8() = default;
    constexpr explicit Opaque8(uint8_t value) : bits(value) {}
    constexpr explicit operator uint8_t() const { return bits; }
    friend constexpr bool operator==(Opaque8 a, Opaque8 b) { return a.bits == b.bits; }
    friend constexpr bool operator!=(Opaque8 a, Opaque8 b) { return a.bits != b.bits; }
};

}  // namespace pto::ptosim_detail
