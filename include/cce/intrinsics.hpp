// Intrinsics by the names of CCE. Each calls the simulator by its row in isa/intrinsics/.
#pragma once

#include "cce/intrinsics/conversion.hpp"
#include "cce/intrinsics/transfer.hpp"
#include "cce/intrinsics/vector.hpp"

using namespace ::pto::ptosim_detail::intrinsics;
