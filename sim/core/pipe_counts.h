// How far the pipes of a core have got.
#pragma once

#include <array>
#include <cstdint>

#include "isa/pipe.h"

namespace ptosim {

// So many entries of each pipe, counted since the chip came up: what somebody waits to be
// completed.
using PipeCounts = std::array<uint64_t, kPipeCount>;

}  // namespace ptosim
