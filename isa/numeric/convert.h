// Conversions between any two element types (TCVT and everything that rounds or saturates).
//
// convert_bits() is the definition. convert<To, From, Mode, Sat>() and convert_run() are the same
// function made fast, tested to give its bits.
#pragma once

#include <cstddef>
#include <cstdint>

#include "isa/numeric/convert_fast.h"
#include "isa/numeric/dtype.h"
#include "isa/numeric/numeric.h"
#include "isa/numeric/rounding.h"

namespace ptosim {

// The low bits(from) bits of `bits`, read as `from`, converted to `to` with one rounding; the upper
// bits of the result are 0.
//
// - To a float: see encode() in formats.h. Every NaN becomes the target's canonical NaN.
// - Float to integer: rounds with `mode` (kNone: nearest even), then looks at the range. Out of
//   range: clamps with saturation, else gives the minimum (signed) or all ones (unsigned). NaN:
//   0 with saturation, else as out of range
//   (PTO-ISA/pto-spec spec/hardware-conformance-profile.json, float_to_integer_invalid).
// - Integer to integer: clamps with saturation, else keeps the low bits (pto-spec ADR-0044).
uint64_t convert_bits(DType to, DType from, uint64_t bits, RoundMode mode, Saturation saturation);

// Rounds to an integral value of the same float type, as TCVT from f32 to f32 with a mode does. Infinities and the sign
// of zero stay; NaN becomes canonical.
float round_to_integral(float value, RoundMode mode);

// One element, all choices fixed at compile time: inline and fast for the common pairs, the plain
// function for the others. 4-bit types take and give the low nibble.
template <DType To, DType From, RoundMode Mode = RoundMode::kRint,
          Saturation Sat = Saturation::kOff>
Storage<To> convert(Storage<From> value) {
    if constexpr (detail::has_fast_convert<To, From, Mode>()) {
        return detail::fast_convert<To, From, Mode, Sat>(value);
    } else {
        return from_bits<To>(convert_bits(To, From, to_bits<From>(value), Mode, Sat));
    }
}

// Converts `count` consecutive elements. 4-bit types are packed two to a byte, the even element in the low nibble, and
// start at an even element; with an odd count the upper nibble of the last target byte keeps its value (pto-spec
// ADR-0033). Source and target must not overlap, except that they may start at the same address if the elements have
// the same size of at least a byte. No alignment is needed.
void convert_run(DType to, void* target, DType from, const void* source, size_t count,
                 RoundMode mode, Saturation saturation);

}  // namespace ptosim
