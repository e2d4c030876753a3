// A number with the given number of decimals, for tables.
#pragma once

#include <cstdio>
#include <string>

namespace ptosim {

inline std::string fixed(double value, int decimals) {
    char text[48];
    std::snprintf(text, sizeof text, "%.*f", decimals, value);
    return text;
}

}  // namespace ptosim
