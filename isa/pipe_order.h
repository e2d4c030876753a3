// What the instructions of one pipe may rely on.
#pragma once

#include "isa/pipe.h"

namespace ptosim {

// Whether an instruction finds there what the ones before it on its pipe have left, without a
// barrier between them. Vector instructions of a2a3 do not (hw-native-sys/pto-isa: 300
// pipe_barrier(PIPE_V) inside of the a2a3 implementations, none in the a5 ones).
constexpr bool works_in_order(Pipe pipe, Arch arch) {
    return pipe != Pipe::kV || arch != Arch::kA2A3;
}

}  // namespace ptosim
