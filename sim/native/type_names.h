// The C++ types of kernel parameters, as typeid names them, for people and as element types.
#pragma once

#include <optional>
#include <string>

#include "isa/numeric/dtype.h"

namespace ptosim {

// "half*": demangled, with the names that kernels write for the number types of device code.
std::string readable_type(const char* mangled);

// The element type of "half const*" or "half"; nothing for void and structures.
std::optional<DType> element_type(const std::string& readable);

}  // namespace ptosim
