// Intrinsics by the names of CCE. Each calls the simulator by its row in isa/intrinsics/.
#pragma once

#include "cce/conversion_intrinsics.hpp"
#include "cce/transfer_intrinsics.hpp"
#include "cce/vector_intrinsics.hpp"

using namespace ::pto::ptosim_detail::intrinsics;
