// The unit of simulated time.
#pragma once

#include <cstdint>

namespace ptosim {

using Cycle = uint64_t;  // core clock cycles since the chip came up

}  // namespace ptosim
