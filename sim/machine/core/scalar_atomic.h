// Scalar atomic operations on global memory.
#pragma once

#include <cstdint>

#include "isa/core/instruction.h"

namespace ptosim {

// Value in memory after an atomic operation with operand `bits` on the value `before`. Both are right-aligned integers
// of 32 or 64 bits, or f32.
uint64_t combine(DType type, AtomicMode mode, uint64_t before, uint64_t bits);

}  // namespace ptosim
