// Removes words of the device's language that host compilers reject and macros cannot replace.
#pragma once

#include <string>
#include <string_view>

namespace ptosim {

// The preprocessed text of a kernel source without these words. Lines keep their numbers.
//
// - [aicore] and [host, aicore], attributes in single brackets, are removed.
// - __ptosim_gm__, with which include/cce/language.hpp replaces __gm__, is removed: pointers into global memory are
//   plain pointers. A specialisation of a template for types in global memory (template <class T> struct
//   remove_gm<__gm__ T>) gets an address space that no type has, because otherwise it would equal the template itself.
std::string without_device_words(std::string text);

// Gives pointers of global memory in a library's functions for threads a type of their own where the library has the same
// function for other pointers: those are called, as global memory has no address space here. Functions that the C library has,
// too, are not exported.
std::string with_apart_overloads(std::string_view text);

// Renames functions of threads that kernels have under the same names, in the library's namespace
// of threads, and atomic operations in its namespace of cores: the device's compiler chooses one by
// the kind of the caller.
std::string with_thread_names(std::string text);

}  // namespace ptosim
