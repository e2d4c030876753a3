// The device's linker: ld.lld -m aicorelinux.
#pragma once

#include <string>
#include <vector>

namespace ptosim::toolkit {

// Links objects of bisheng --cce-aicore-only to a device binary, or with -r to one object. A link for another target
// is that of the ld.lld that follows in PATH. Throws DiagnosticError: H04 for options, H02 as link_device_binary().
int run_device_linker(const std::vector<std::string>& words);

}  // namespace ptosim::toolkit
