// Lossless text form of diagnostics for another process of this program.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "isa/core/diagnostic.h"

namespace ptosim {

// The findings of a launch. `finished`: the launch has come to its end.
std::string pack(const std::vector<Diagnostic>& diagnostics, bool finished);
std::vector<Diagnostic> unpack_diagnostics(std::string_view text, bool& finished);

}  // namespace ptosim
