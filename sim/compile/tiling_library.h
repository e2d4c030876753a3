// The host-side functions of Ascend C (tiling, the chip's figures), compiled from a checkout of asc-devkit.
#pragma once

#include <string>

namespace ptosim {

// An archive of them for the C++ compiler `compiler`, made in the cache folder once for each state of the checkout.
// Throws DiagnosticError (H02).
std::string tiling_library(const std::string& checkout, const std::string& compiler);

}  // namespace ptosim
