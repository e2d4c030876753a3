// Signals between cores.
#pragma once

namespace ptosim {

inline constexpr unsigned kCrossIds = 16;  // of a core; an AIC has as many for each AIV of its cluster

}  // namespace ptosim
