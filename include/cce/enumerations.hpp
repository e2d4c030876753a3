// Enumerations of intrinsics, with the values of the device's compiler where a public source has them.
#pragma once

#include <stdint.h>

// Conversions of the fix pipe (hw-native-sys/pto-isa include/pto/costmodel/a2a3/cce_costmodel).
enum QuantMode_t {
    NoQuant = 0,
    F322F16 = 1,
    VREQ8 = 2,
    REQ8 = 3,
    VDEQF16 = 4,
    DEQF16 = 5,
    VSHIFTS322S16 = 12,
    SHIFTS322S16 = 13,
    F322BF16 = 16,
    VQF322B8_PRE = 23,
    QF322B8_PRE = 24,
    QF322HIF8_PRE = 25,
    QF322FP8_PRE = 26,
    QF322F32_PRE = 27,
    VQF322HIF8_PRE = 28,
    QF322F16_PRE = 32,
    VQF322F16_PRE = 33,
    QF322BF16_PRE = 34,
    QS322BF16_PRE = 35,
    VQF322BF16_PRE = 36,
    VQF322FP8_PRE = 37,
    VQF322F32_PRE = 38,
    VQS322BF16_PRE = 39,
    QF322HIF8_PRE_HYBRID = 62,  // assumed numbers; the fix pipe refuses both modes
    VQF322HIF8_PRE_HYBRID = 63,
};
// A second quantisation, which the simulator refuses.
enum class QuantMode_post : uint64_t { NoConv = 0 };

// Result of a reduction with indices for each repeat: numbers of AscendC's ReduceOrder (assumed).
enum Order_t { VALUE_INDEX = 0, INDEX_VALUE = 1, ONLY_VALUE = 2, ONLY_INDEX = 3 };

// Padding of copies to L1.
enum pad_t {
    PAD_NONE = 0,
    PAD_MODE1 = 1,
    PAD_MODE2 = 2,
    PAD_MODE3 = 3,
    PAD_MODE4 = 4,
    PAD_MODE5 = 5,
    PAD_MODE6 = 6,
    PAD_MODE7 = 7,
    PAD_MODE8 = 8
};
// The order in which a 2-D load takes fractals.
enum addr_cal_mode_t { inc = 0, dec = 1 };
// How a product and the copy of its result share the flags of units: 2 leaves them set, 3 resets them.
enum unit_flag_mode_t : uint8_t { UFMode0 = 0, UFMode1 = 1, UFMode2 = 2, UFMode3 = 3 };
