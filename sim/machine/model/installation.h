// Locations of ptosim's files outside of its program: in the source tree from which it was built, or below the prefix
// of `cmake --install`, which may be moved as a whole.
#pragma once

#include <string>

namespace ptosim {

std::string models_folder();   // chip files; the variable PTOSIM_MODELS has priority
std::string include_folder();  // headers of kernels and their hosts
std::string library_folder();  // libptosim
std::string python_folder();   // where Python finds the package ptosim
std::string mpmd_folder();     // files of sim/faces/mpmd for `ptosim simpler-setup` and `ptosim exec`
std::string toolkit_folder();  // packages of the toolkit: python/, cmake/
// The prefix of `cmake --install` that contains all of this; empty in a source tree.
std::string installed_prefix();

// The path of the running program, also without /proc.
std::string program_file();

// A program or library that was copied without its files uses those of its source tree, if that still exists. This is
// the warning for that case, with a remedy; otherwise empty.
std::string stands_alone();

}  // namespace ptosim
