// An error of an acl call.
#pragma once

#include <string>

#include "isa/core/diagnostic.h"

namespace ptosim {

struct HostError {
    int code;  // of the acl API
    Diagnostic diagnostic;
};

HostError host_error(int code, std::string what, std::string hint = {},
                     std::string diagnostic = "H22");

std::string hexadecimal(const void* pointer);

}  // namespace ptosim
