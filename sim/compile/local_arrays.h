// Arrays in on-chip memories, which the C API of Ascend C declares in functions: __ubuf__ float x[1024];
#pragma once

#include <string>

namespace ptosim {

// Replaces each of these in the preprocessed text by a reference to memory that a LocalArray
// (include/cce/local_array.hpp) allocates for its scope, because host compilers do not support variables in an address
// space there. Lines keep their numbers.
std::string with_local_arrays(std::string text);

}  // namespace ptosim
