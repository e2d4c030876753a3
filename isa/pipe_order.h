// What the instructions of one pipe may rely on.
#pragma once

#include "isa/arch.h"

namespace ptosim {

// Whether an instruction sees the results of the ones
// before it on its pipe without a barrier between them.
constexpr bool works_in_order(Pipe pipe, Arch arch) {
    return pipe != Pipe::kV || traits_of(arch).vector_in_order;
}

}  // namespace ptosim
