// Generations of cores by the number that __NPU_ARCH__ has, as asc-devkit's tiling names them.
#pragma once

#include <cstdint>

enum class NpuArch : uint32_t {
    DAV_1001 = 1001,
    DAV_2002 = 2002,
    DAV_2102 = 2102,
    DAV_2103 = 2103,
    DAV_2201 = 2201,
    DAV_3002 = 3002,
    DAV_3003 = 3003,
    DAV_3102 = 3102,
    DAV_3113 = 3113,
    DAV_3510 = 3510,
    DAV_3505 = 3505,
    DAV_5102 = 5102,
    DAV_RESV = 0xFFFFFFFF,
};
