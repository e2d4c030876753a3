// pypto-setup CHECKOUT: the code of cann/pypto for the AICPU, compiled for this machine with counted basic blocks.
#pragma once

#include <string>
#include <vector>

namespace ptosim::toolkit {

// Compiles the checkout of cann/pypto in words[0] into a library, which launches on the AICPU use from then on
// (sim/faces/host/aicpu_servers.h). Throws DiagnosticError: H32 if the folder is not a checkout or does not compile.
int run_pypto_setup(const std::vector<std::string>& words);

}  // namespace ptosim::toolkit
