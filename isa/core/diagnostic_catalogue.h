// Titles of codes (isa/core/diagnostics.tsv).
#pragma once

#include <string_view>

namespace ptosim {

// Empty if the code has none.
std::string_view catalogue_title(std::string_view code);

}  // namespace ptosim
