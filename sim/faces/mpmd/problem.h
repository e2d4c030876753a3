// Makes the diagnostic of an error in a program, or in its requests.
#pragma once

#include <string>

#include "isa/core/diagnostic.h"

namespace ptosim::mpmd {

inline Diagnostic problem(const char* code, std::string what, std::string hint) {
    Diagnostic d;
    d.code = code;
    d.category = Category::kInput;
    d.message = std::move(what);
    d.hint = std::move(hint);
    return d;
}

}  // namespace ptosim::mpmd
