// Diagnostics as text for another process of this program, with nothing lost.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "isa/core/diagnostic.h"

namespace ptosim {

// What a launch has found, and whether it has come to its end.
std::string pack(const std::vector<Diagnostic>& diagnostics, bool finished);
std::vector<Diagnostic> unpack_diagnostics(std::string_view text, bool& finished);

}  // namespace ptosim
