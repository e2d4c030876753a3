// Numbers of 16 bits in programs of the host. Each operation on two of them rounds its result to 16 bits;
// with another number they are floats.
#ifndef PTOSIM_OPDEV_HOST_NUMBER_H
#define PTOSIM_OPDEV_HOST_NUMBER_H

#include <cstdint>
#include <cstring>
#include <type_traits>

namespace op {
namespace ptosim_detail {

inline uint32_t bits_of(float value) {
    uint32_t bits;
    std::memcpy(&bits, &value, sizeof bits);
    return bits;
}
inline float float_of(uint32_t bits) {
    float value;
    std::memcpy(&value, &bits, sizeof value);
    return value;
}

// Drops the last `dropped` bits of a float's fraction, rounded to nearest even.
inline uint32_t rounded(uint32_t bits, unsigned dropped) {
    const uint32_t half = uint32_t{1} << (dropped - 1);
    return (bits + half - 1 + (bits >> dropped & 1)) >> dropped;
}

// Format_ has narrow(float) -> uint16_t and widen(uint16_t) -> float.
template <class Format_>
struct HostNumber {
    uint16_t value = 0;

    HostNumber() = default;
    template <class T, std::enable_if_t<std::is_arithmetic<T>::value, int> = 0>
    HostNumber(T number) : value(Format_::narrow(static_cast<float>(number))) {}  // NOLINT
    static HostNumber from_bits(uint16_t bits) {
        HostNumber number;
        number.value = bits;
        return number;
    }
    operator float() const { return Format_::widen(value); }  // NOLINT

    HostNumber& operator+=(float other) { return *this = HostNumber(float(*this) + other); }
    HostNumber& operator-=(float other) { return *this = HostNumber(float(*this) - other); }
    HostNumber& operator*=(float other) { return *this = HostNumber(float(*this) * other); }
    HostNumber& operator/=(float other) { return *this = HostNumber(float(*this) / other); }
    HostNumber operator-() const { return from_bits(static_cast<uint16_t>(value ^ 0x8000u)); }
};

template <class Format_>
HostNumber<Format_> operator+(HostNumber<Format_> a, HostNumber<Format_> b) {
    return float(a) + float(b);
}
template <class Format_>
HostNumber<Format_> operator-(HostNumber<Format_> a, HostNumber<Format_> b) {
    return float(a) - float(b);
}
template <class Format_>
HostNumber<Format_> operator*(HostNumber<Format_> a, HostNumber<Format_> b) {
    return float(a) * float(b);
}
template <class Format_>
HostNumber<Format_> operator/(HostNumber<Format_> a, HostNumber<Format_> b) {
    return float(a) / float(b);
}

}  // namespace ptosim_detail
}  // namespace op

#endif
