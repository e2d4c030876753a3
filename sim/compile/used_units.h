// The units of a core that compiled kernel code uses, by the intrinsics that it calls.
#pragma once

#include <string_view>

namespace ptosim {

struct UsedUnits {
    bool cube = false;    // products, or loads into L0
    bool vector = false;  // pipe V, or UB
};

// `object`: the object file of one pass. Each call of an intrinsic (cce/intrinsic_call.hpp) leaves the intrinsic's name
// there; functions that nothing calls leave none. Copies into L1 do not count for the cube: the library's DataCopy
// chooses between UB and L1 at run time, so that both are in its code.
UsedUnits used_units(std::string_view object);

}  // namespace ptosim
