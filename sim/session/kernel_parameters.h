// Kernels made to be retiled: `.pto` text with parameters.
//
//   //! param TILE_M = 128                                 // rows of a tile of C
//   //! param TILE_K = min(256, chip.aic.l1.bytes / (8 * TILE_M))
//   //! require TILE_M % 16 == 0 : tiles are whole boxes
//   !tile = !pto.tile_buf<mat, ${TILE_M}x${TILE_K}xf16, ...>
//
// A declaration gives a whole number and may use earlier parameters and the chip's; ${EXPRESSION}
// stands for its value in the lines that follow. Lines keep their numbers.
#pragma once

#include <map>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "sim/session/expression.h"

namespace ptosim {

struct KernelParameter {
    std::string name;
    std::string value;  // the expression it is by default
    std::string help;
    unsigned line = 0;
};

using GivenParameters = std::map<std::string, int64_t>;

// A kernel that says it cannot be made with these values on this chip.
class RequirementError : public std::runtime_error {
 public:
    RequirementError(const std::string& message, std::string with)
        : std::runtime_error(message), values{std::move(with)} {}
    std::string values;  // "M = 64, N = 32": all parameters up to there
};

struct ExpandedKernel {
    std::string text;
    Values values;  // of its parameters
};

// The declarations of a kernel's text; none for a kernel without parameters.
std::vector<KernelParameter> declared_parameters(std::string_view text);

// Throws DiagnosticError (input) with file and line: a declaration or expression that cannot be
// read, a given name that the kernel does not declare. Throws RequirementError.
ExpandedKernel expand_parameters(const std::string& path, std::string_view text,
                                 const GivenParameters& given, const Values& chip);

// "TILE_M=64" of the command line.
GivenParameters parse_parameters(const std::vector<std::string>& words);

}  // namespace ptosim
