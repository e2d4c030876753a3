// The C++ declarations of intrinsics: include/cce/GROUP_intrinsics.hpp.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace ptosim {

// Groups of intrinsics, each with a header: "vector", "conversion", "transfer".
std::vector<std::string> intrinsic_groups();
// The header of a group of intrinsic_groups().
std::string intrinsic_forms_header(std::string_view group);

}  // namespace ptosim
