// Functions of one number that the device's compiler has itself; the library's other functions are made of these.
#pragma once

#include <cstdint>
#include <optional>

#include "isa/numeric/dtype.h"

namespace ptosim {

// Numbers of the kernel ABI (ptosim_thread_function_number).
enum class ThreadFunction : uint8_t { kExp, kLog, kSqrt, kAbs, kFloor, kCeil, kRint, kRound, kPow, kCount };

// Correctly rounded (asc-devkit states 1 ulp for exp, log and sqrt). None if the type is not float, half or bf16.
std::optional<uint64_t> function_result(ThreadFunction function, DType type, uint64_t a, uint64_t b);

}  // namespace ptosim
