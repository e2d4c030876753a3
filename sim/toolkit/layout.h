// The toolkit as a folder: what build scripts look for, by the names that they know.
#pragma once

#include <string>

namespace ptosim::toolkit {

// Makes the folder, or renews one that was made so. It may be moved; what it leads to (this program
// and its library) stays where it is, but for a folder below the prefix of an installation, which
// moves with it. Throws DiagnosticError (I02): the folder holds something else, or cannot be
// written.
void lay_out(const std::string& folder);

// The chip's model by the name that build scripts give the chip, in letters of any case, or by how
// the name begins: "Ascend910B1", "Ascend910_9391"; empty if there is none.
std::string chip_of(const std::string& name);

}  // namespace ptosim::toolkit
