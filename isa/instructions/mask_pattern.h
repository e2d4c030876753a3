// Mask patterns of TGATHER and TSCATTER: one of every few lanes is taken.
#pragma once

#include <cstdint>

namespace ptosim {

// P0101 is 1 ... P1000 is 6, P1111 is 7; the pattern is read from the right (hw-native-sys/pto-isa
// include/pto/common/type.hpp, MaskPattern). Anything else takes all lanes.
struct MaskPattern {
    int first = 0, period = 1;

    constexpr explicit MaskPattern(uint8_t pattern) {
        if (pattern >= 1 && pattern <= 2) first = pattern - 1, period = 2;
        if (pattern >= 3 && pattern <= 6) first = pattern - 3, period = 4;
    }
    constexpr bool takes(int lane) const { return lane % period == first; }
    // Of `lanes` lanes.
    constexpr int count(int lanes) const {
        return lanes <= first ? 0 : (lanes - first + period - 1) / period;
    }
};

}  // namespace ptosim
