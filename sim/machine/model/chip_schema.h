// The JSON schema of chip files, generated from the table of parameters.
#pragma once

#include <string>

namespace ptosim {

// JSON Schema draft 2020-12. The reader checks required parameters and ranges, because a file that extends another may
// omit any.
std::string chip_schema();

}  // namespace ptosim
