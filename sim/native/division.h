// Integer divisions that trap on the host but not in a kernel.
#pragma once

#include <ucontext.h>

#include <cstdint>

namespace ptosim {

enum class DivisionTrap : uint8_t { kNone, kByZero, kOverflow };

// Completes the division at which the host's processor has stopped, as AArch64 defines it. By zero, the quotient is 0
// and the remainder is the dividend; the smallest integer divided by -1 gives itself and 0. kNone: the instruction is
// not a division.
DivisionTrap finish_division(ucontext_t& machine);

}  // namespace ptosim
