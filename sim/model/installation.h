// Where the files of ptosim are that are not part of its program: in the tree that it was
// built from, or below the prefix of `cmake --install`, which may be moved as a whole.
#pragma once

#include <string>

namespace ptosim {

std::string models_folder();   // chip files; the variable PTOSIM_MODELS comes first
std::string include_folder();  // headers of kernels and their hosts
std::string library_folder();  // libptosim
std::string python_folder();   // in which Python finds the package ptosim
std::string mpmd_folder();     // what `ptosim simpler-setup` and `ptosim exec` use of sim/mpmd
std::string toolkit_folder();  // packages that the toolkit hands out: python/, cmake/
// The prefix of `cmake --install` that all of this is below; empty in a tree.
std::string installed_prefix();

// The program that this process runs, also where there is no /proc.
std::string program_file();

// A program or library that was copied without its files reads those of the tree that it was built
// from, if that is still there: this says so, and what to do. Empty for all others.
std::string stands_alone();

}  // namespace ptosim
