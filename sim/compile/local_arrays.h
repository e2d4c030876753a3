// Variables in on-chip memories, in general arrays, which functions declare: __ubuf__ float
// x[1024];
#pragma once

#include <string>

namespace ptosim {

// Replaces each of these in the preprocessed text by a reference to memory that a LocalArray
// (include/cce/local_array.hpp) allocates for its scope, because host compilers do not support
// variables in an address space there. With `threads`, functions of threads may have them, and an
// array without a size (extern __ubuf__ float x[]) becomes a pointer to what follows the arrays
// before it. If the text has pipes (TPipe), arrays in UB have addresses from the load on, because
// the buffers of a pipe follow all of them. Lines keep their numbers.
std::string with_local_arrays(std::string text, bool threads = false);

}  // namespace ptosim
