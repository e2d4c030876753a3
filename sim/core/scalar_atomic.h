// Scalar atomic operations on global memory.
#pragma once

#include <cstdint>

#include "isa/instruction.h"

namespace ptosim {

// What one leaves in memory, from what was there and its operand, both as low bits: integers of 32
// and 64 bits, and f32.
uint64_t combine(DType type, AtomicMode mode, uint64_t before, uint64_t bits);

}  // namespace ptosim
