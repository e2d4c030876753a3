// Kernels that can be retiled: `.pto` text with parameters.
//
//   //! param TILE_M = 128                                 // rows of a tile of C
//   //! param TILE_K = min(256, chip.aic.l1.bytes / (8 * TILE_M))
//   //! require TILE_M % 16 == 0 : tiles are whole boxes
//   !tile = !pto.tile_buf<mat, ${TILE_M}x${TILE_K}xf16, ...>
//
// Lines for `ptosim sweep KERNEL`, which a run ignores:
//
//   //! search TILE_M = 64, 128, 256                         // values among which a sweep chooses
//   //! short ROWS = 512                                     // a shorter problem for its first selection
//   //! blocks chip.clusters
//   //! argument zeros=${M}x${K}xf16
//
// A declaration defines a whole number and may use earlier parameters and the chip's. ${EXPRESSION} in later lines is
// replaced by its value. Lines keep their numbers.
#pragma once

#include <map>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "sim/session/expression.h"

namespace ptosim {

struct KernelParameter {
    std::string name;
    std::string value;  // the expression of the default
    std::string help;
    unsigned line = 0;
};

using GivenParameters = std::map<std::string, int64_t>;

// The lines of a kernel for sweeps.
struct SweepLines {
    std::vector<std::pair<std::string, std::vector<int64_t>>> search;
    GivenParameters brief;
    std::string blocks;  // an expression
    std::vector<std::string> arguments;
};

// Thrown if a requirement of the kernel excludes these values on this chip.
class RequirementError : public std::runtime_error {
 public:
    RequirementError(const std::string& message, std::string with)
        : std::runtime_error(message), values{std::move(with)} {}
    std::string values;  // "M = 64, N = 32": all parameters up to that point
};

struct ExpandedKernel {
    std::string text;
    Values values;  // values of its parameters
};

// The declarations of a kernel's text; empty for a kernel without parameters.
std::vector<KernelParameter> declared_parameters(std::string_view text);

// Throws DiagnosticError (input) with file and line for an invalid line, or a name that the kernel does not declare.
SweepLines sweep_lines(const std::string& path, std::string_view text);

// Throws DiagnosticError (input) with file and line for an invalid declaration or expression, or a given name that the
// kernel does not declare. Throws RequirementError.
ExpandedKernel expand_parameters(const std::string& path, std::string_view text,
                                 const GivenParameters& given, const Values& chip);

// Parses words of the command line such as "TILE_M=64".
GivenParameters parse_parameters(const std::vector<std::string>& words);

}  // namespace ptosim
