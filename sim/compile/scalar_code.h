// Counts the scalar code that kernels execute. The compiler's assembly gets an addition of a
// constant to ptosim_scalar_instructions (ptosim/kernel_abi.h) in each straight run of
// instructions.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace ptosim {

// Flags for compiling code whose assembly is then counted. They include line information.
std::vector<std::string> counted_code_flags(bool gnu);

// Returns the assembly (AT&T syntax, or AArch64) with counters. An instruction counts if its line is in a file for
// which `counts` is true, unless it moves registers, makes an address, or belongs to a call that a sanitizer inserted.
// An operand in memory counts as a load, and as a store if it is also the result: a scalar unit has no such operands.
// Counters keep all registers and flags, and need a stack without a red zone.
std::string with_counted_code(std::string_view assembly,
                              const std::function<bool(std::string_view)>& counts);

}  // namespace ptosim
