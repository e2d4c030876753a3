// The C++ declarations of intrinsics: include/cce/intrinsics.hpp.
#pragma once

#include <string>

namespace ptosim {

std::string intrinsic_forms_header();

}  // namespace ptosim
