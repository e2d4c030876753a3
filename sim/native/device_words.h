// Words of the device's language that no compiler for hosts reads and no macro can replace.
#pragma once

#include <string>

namespace ptosim {

// The preprocessed text of a kernel source without them; lines keep their numbers.
//
// - [aicore] and [host, aicore], attributes in single brackets, go.
// - __ptosim_gm__, which include/cce/language.hpp puts for __gm__, goes: pointers into global memory
//   are plain pointers. The specialisation of a template for types in global memory
//   (template <class T> struct remove_gm<__gm__ T>) gets an address space that no type has, because
//   without the word it would be the template itself.
std::string without_device_words(std::string text);

}  // namespace ptosim
