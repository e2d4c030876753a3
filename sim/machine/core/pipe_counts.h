// Progress of the pipes of a core.
#pragma once

#include <array>
#include <cstdint>

#include "isa/core/pipe.h"

namespace ptosim {

// For each pipe, a number of entries since the chip came up whose completion is awaited.
using PipeCounts = std::array<uint64_t, kPipeCount>;

}  // namespace ptosim
