// Messages between chips as events of the Chrome trace format.
#pragma once

#include <span>
#include <string>

#include "sim/system/links.h"

namespace ptosim {

// A process "links" with a lane for each direction to and from each other chip: slices for the traffic on the link, and
// arrows from them to the places of arrival. `rank`: of this chip.
std::string traffic_events(std::span<const Links::Traffic> traffic, unsigned rank, uint64_t clock_hz);

}  // namespace ptosim
