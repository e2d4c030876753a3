// Numbers of a sweep's reports, with a number of decimals.
#pragma once

#include <cstdio>
#include <string>

namespace ptosim::sweep {

inline std::string fixed(double value, int decimals) {
    char text[48];
    std::snprintf(text, sizeof text, "%.*f", decimals, value);
    return text;
}

}  // namespace ptosim::sweep
