// Titles of codes (isa/DIAGNOSTICS.md).
#pragma once

#include <string_view>

namespace ptosim {

// Empty if the code has none.
std::string_view catalogue_title(std::string_view code);

}  // namespace ptosim
