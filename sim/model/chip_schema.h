// The JSON schema of chip files, made from the table of parameters.
#pragma once

#include <string>

namespace ptosim {

// JSON Schema draft 2020-12. Which parameters must be there, and in which range, the reader says: a
// file that extends another may leave out any.
std::string chip_schema();

}  // namespace ptosim
