// Remedies for frequent errors of compilers in kernels.
#pragma once

#include <string>
#include <string_view>

namespace ptosim {

// The remedy for the first known error among a compiler's messages; empty for others. `ascendc`:
// the build has a checkout of Ascend C.
std::string compiler_hint(std::string_view messages, bool ascendc);

}  // namespace ptosim
