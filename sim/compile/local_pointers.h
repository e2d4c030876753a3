// Scalar accesses to UB by pointers (__ubuf__ T*) in kernels that are compiled as tiles: the number in such a pointer is
// a byte address in UB, which the host cannot dereference.
#pragma once

#include <string>

namespace ptosim {

// Replaces p[i], *p and *(p + i) in the preprocessed text by calls of include/pto/common/local_pointer.hpp if p has
// been declared as a pointer to UB (by an alias of its type, too), is cast to one, is an element of an array of
// them, or is the data() of a tile or a copy of it. An array whose element type is a parameter of its template counts as one. Removes the word __ptosim_ubuf__,
// with which include/pto/common/qualifiers.hpp replaces __ubuf__. Members of structures are not recognised. Lines keep
// their numbers.
std::string with_local_accesses(std::string text);

}  // namespace ptosim
