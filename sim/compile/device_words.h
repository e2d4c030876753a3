// Removes words of the device's language that host compilers reject and macros cannot replace.
#pragma once

#include <string>

namespace ptosim {

// The preprocessed text of a kernel source without these words. Lines keep their numbers.
//
// - [aicore] and [host, aicore], attributes in single brackets, are removed.
// - __ptosim_gm__, with which include/cce/language.hpp replaces __gm__, is removed: pointers into global memory are
//   plain pointers. A specialisation of a template for types in global memory (template <class T> struct
//   remove_gm<__gm__ T>) gets an address space that no type has, because otherwise it would equal the template itself.
std::string without_device_words(std::string text);

}  // namespace ptosim
