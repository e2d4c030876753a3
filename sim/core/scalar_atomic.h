// Scalar atomic operations on global memory.
#pragma once

#include <cstdint>

#include "isa/core/instruction.h"

namespace ptosim {

// The value that an atomic operation leaves in memory where `before` was, given its operand `bits`:
// both right-aligned, integers of 32 and 64 bits and f32.
uint64_t combine(DType type, AtomicMode mode, uint64_t before, uint64_t bits);

}  // namespace ptosim
