// The C++ types of kernel parameters: from typeid names to readable names and element types.
#pragma once

#include <optional>
#include <string>

#include "isa/numeric/dtype.h"

namespace ptosim {

// Demangled, with the names of number types in device code: "half*".
std::string readable_type(const char* mangled);

// The element type of "half const*" or "half"; empty for void and structures.
std::optional<DType> element_type(const std::string& readable);

}  // namespace ptosim
