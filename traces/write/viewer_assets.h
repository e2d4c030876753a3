// The viewer as it is built by scripts/viewer.sh, part of this program.
#pragma once

#include <string_view>

namespace ptosim::viewer {

std::string_view script();
std::string_view style();
std::string_view page();
std::string_view licenses();  // of the libraries in the script

}  // namespace ptosim::viewer
