// Files that are texts of the program, too: examples_a2a3.pto, examples_a5.pto, the list of the C++ API.
#pragma once

#include <cstdint>
#include <string_view>

namespace ptosim::assembly {

enum class LanguageText : uint8_t { kExamplesA2A3, kExamplesA5, kApiPage };
std::string_view language_text(LanguageText which);

}  // namespace ptosim::assembly
