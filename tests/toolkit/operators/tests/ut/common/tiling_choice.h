// The choice of a tiling for an operator with one input and one attribute.
#pragma once

#include <cstdint>

struct TilingChoice {
    bool accepted = false;
    uint64_t key = 0;
    uint32_t blocks = 0;
};

TilingChoice tile(const char* type, int64_t elements, float attribute);
