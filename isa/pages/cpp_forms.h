// Operations of the C++ API that share a form, such as dst = TADD(src0, src1). include/pto/instructions/forms.hpp has
// them as lists generated from the instruction table.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "isa/table/instruction_table.h"

namespace ptosim {

// A form, named by its macro in include/pto/instructions without PTO_DETAIL_ ("UNARY", "WITH_SCALAR"), and the macro's
// further argument: an enumeration of algorithms, or the tile whose element type the scalar has.
struct CppForm {
    std::string_view name;
    std::string argument;
};

// The forms of a row, determined by its operands and attributes unless its trait cpp_forms overrides them. Empty: the
// headers have a separate function for it, or none.
std::vector<CppForm> cpp_forms(const InstructionInfo& row);

// include/pto/instructions/forms.hpp.
std::string cpp_forms_header();

}  // namespace ptosim
