// Simulated time in core cycles: one unit of SystemC's integer time is one cycle.
#pragma once

#include <systemc>

#include "sim/timing/cycle.h"

namespace ptosim {


inline Cycle now_cycle() { return sc_core::sc_time_stamp().value(); }
inline sc_core::sc_time cycles(Cycle count) { return sc_core::sc_time::from_value(count); }

}  // namespace ptosim
