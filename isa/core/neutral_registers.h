// Values of core registers (isa/core/core_registers.h) that a kernel may leave for the next one.
#pragma once

#include <cstdint>

#include "isa/core/core_registers.h"

namespace ptosim {

// The operation of ATOMIC; above it is the type of elements, which has no effect without an operation.
inline constexpr uint64_t kAtomicOperation = 0xFF;
// CTRL as InitSocState of an a5 sets it (asc-devkit).
inline constexpr uint64_t kInitSocStateCtrl = uint64_t{1} << 60 | 8;

// True if the value has the effect of the initial one.
constexpr bool is_neutral(unsigned number, uint64_t value, uint64_t initial) {
    if (number == core_register::ATOMIC) return (value & kAtomicOperation) == 0;
    return value == initial || (number == core_register::CTRL && value == kInitSocStateCtrl);
}

}  // namespace ptosim
