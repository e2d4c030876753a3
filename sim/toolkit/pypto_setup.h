// pypto-setup CHECKOUT: the code of cann/pypto for the AICPU, compiled for this machine with counted basic blocks.
#pragma once

#include <string>
#include <vector>

namespace ptosim::toolkit {

// words[0] is a checkout of cann/pypto. Makes the library that launches on the AICPU use from now on
// (sim/host/aicpu_servers.h). Throws DiagnosticError: H32 for what is no checkout or does not compile.
int run_pypto_setup(const std::vector<std::string>& words);

}  // namespace ptosim::toolkit
