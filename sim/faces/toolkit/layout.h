// The toolkit as a folder: the files that build scripts look for, with the expected names.
#pragma once

#include <string>

namespace ptosim::toolkit {

// Makes the folder, or renews an existing toolkit. The folder may be moved. Its links to this program and its library
// keep their targets, unless the folder is below the prefix of an installation, which moves with it. `ascendc`, if not
// empty, is the checkout of asc-devkit with which its bisheng compiles Ascend C. Throws DiagnosticError: I02 if the
// folder contains something else or cannot be written, H02 if `ascendc` is not such a checkout.
void lay_out(const std::string& folder, const std::string& ascendc, const std::string& metadef = {},
             const std::string& opbase = {});

// The chip's model for the name of a chip in build scripts, in upper or lower case, or for a prefix of the name:
// "Ascend910B1", "Ascend910_9391"; empty if there is none.
std::string chip_of(const std::string& name);

}  // namespace ptosim::toolkit
