// How far the pipes of a core have got.
#pragma once

#include <array>
#include <cstdint>

#include "isa/core/pipe.h"

namespace ptosim {

// A number of entries of each pipe, counted since
// the chip came up, whose completion is awaited.
using PipeCounts = std::array<uint64_t, kPipeCount>;

}  // namespace ptosim
