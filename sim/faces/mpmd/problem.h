// Makes the diagnostic of an error in a program, or in its requests.
#pragma once

#include <string>

#include "isa/core/diagnostic.h"

namespace ptosim::mpmd {

inline Diagnostic problem(const char* code, std::string what, std::string hint) {
    return make_diagnostic(code, Category::kInput, std::move(what), std::move(hint));
}

}  // namespace ptosim::mpmd
