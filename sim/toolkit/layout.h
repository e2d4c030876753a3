// The toolkit as a folder: what build scripts look for, by the names that they know.
#pragma once

#include <string>

namespace ptosim::toolkit {

// Makes the folder, or renews one that was made so. It may be moved; what it leads to (this program
// and its library) stays where it is, but for a folder below the prefix of an installation, which
// moves with it. `ascendc`, unless it is empty, is the checkout of asc-devkit that its bisheng compiles
// Ascend C with. Throws DiagnosticError (I02): the folder holds something else, or cannot be
// written; H02: that is no such checkout.
void lay_out(const std::string& folder, const std::string& ascendc);

// The chip's model by the name that build scripts give the chip, in letters of any case, or by how
// the name begins: "Ascend910B1", "Ascend910_9391"; empty if there is none.
std::string chip_of(const std::string& name);

}  // namespace ptosim::toolkit
