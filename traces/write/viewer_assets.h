// The viewer that scripts/test_viewer.sh builds into traces/viewer/dist, part of this program.
#pragma once

#include <string_view>

namespace ptosim::viewer {

std::string_view script();
std::string_view style();
std::string_view page();
std::string_view licenses();  // of the libraries in the script

}  // namespace ptosim::viewer
