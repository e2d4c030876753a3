// Where the files of ptosim stand that are not in its program: in the tree that it was built from,
// or below the prefix of `cmake --install`, which may be moved as a whole.
#pragma once

#include <string>

namespace ptosim {

std::string models_folder();   // chip files; the variable PTOSIM_MODELS comes first
std::string include_folder();  // headers of kernels and their hosts
std::string library_folder();  // libptosim

}  // namespace ptosim
