// Rounding modes and saturation, with the values that the C++ API gives them.
#pragma once

#include <cstdint>

namespace ptosim {

// hw-native-sys/pto-isa include/pto/common/type.hpp, enum RoundMode; 7 is PTO-ISA/pto-spec only.
enum class RoundMode : uint8_t {
    kNone = 0,    // the conversion's default: nearest, ties to even
    kRint = 1,    // nearest, ties to even
    kRound = 2,   // nearest, ties away from zero
    kFloor = 3,   // towards minus infinity
    kCeil = 4,    // towards plus infinity
    kTrunc = 5,   // towards zero
    kOdd = 6,     // to odd (von Neumann): truncate, then set the last bit if anything was lost
    kHybrid = 7,  // nearest, ties towards plus infinity (pto-spec ADR-0047 and
                  // hardware-conformance-profile.json, "RHB"); the C++ API has no name for it
};

enum class Saturation : uint8_t {
    kOn = 0,   // out of range, infinities included, becomes the nearest finite value; NaN becomes 0
               // where the target has no NaN (integers, fp4) and stays NaN otherwise
    kOff = 1,  // integer to integer keeps the low bits; float to integer out of range gives the
               // "indefinite" value (signed: the minimum, unsigned: all ones); floats overflow as
               // in IEEE 754, to infinity (to NaN in formats without one)
};

}  // namespace ptosim
