// Registers that a call reads, but whose values have no effect in its modes: a kernel need not set them.
#pragma once

#include "isa/intrinsics/intrinsic.h"

namespace ptosim {

// False if the value of the register (include/ptosim/core_registers.def), which the row of the call lists, has no effect.
bool uses_register(const IntrinsicCall& call, unsigned number);

namespace intrinsics {

// Its parts, for families of calls.
bool image_uses(const IntrinsicCall& call, unsigned number);   // img2col*
bool drain_uses(const IntrinsicCall& call, unsigned number);   // copy_matrix_cc_to_*
bool loops_use(const IntrinsicCall& call, unsigned number);    // copy_*_align_v2
bool bursts_use(const IntrinsicCall& call, unsigned number);   // copy_*_align_b*

}  // namespace intrinsics
}  // namespace ptosim
