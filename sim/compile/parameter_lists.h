// Parameter lists of functions, by the token of their opening parenthesis.
#pragma once

#include <string>

#include "sim/compile/token_text.h"

namespace ptosim {

// The names in a list: "out,src" for (__gm__ float *out, __gm__ float *src = nullptr).
std::string parameter_names(const TokenText& text, size_t list);
// The list without default values: "(float* out, int n)".
std::string parameter_types(const TokenText& text, size_t list);

}  // namespace ptosim
