// Variables in UB that kernels of threads declare: __ubuf__ float x[1024]; extern __ubuf__ float x[];
#pragma once

#include <string>
#include <string_view>

namespace ptosim {

// The preprocessor replaces the qualifier by this word.
inline constexpr std::string_view kThreadUbMark = "__ptosim_ubuf__";

// Makes each such variable in a function a reference to memory that all threads of a block share
// (include/cce/threads.hpp), and removes the qualifier elsewhere, as there is one kind of pointers. A variable outside
// of functions becomes a pointer, which each use reads anew. Lines keep their numbers.
std::string with_thread_arrays(std::string_view text);

}  // namespace ptosim
