// The reference page of the instruction set, made from the instruction table alone.
#pragma once

#include <string>
#include <string_view>

#include "isa/instruction_table.h"

namespace ptosim {

// isa/REFERENCE.md.
std::string reference_page();

// How an instruction's pipe, and an operand's role and kinds, are told.
std::string_view text(PipeRule rule);
std::string_view text(OperandRole role);
std::string kinds_text(uint8_t kinds);

// Golden cases of isa/semantics/goldens.txt for an instruction.
unsigned golden_cases(Opcode opcode);

// Names of the C++ API that are no rows of the table: what they are instead, or why they are not
// here.
struct OtherName {
    std::string_view name;  // "TRESHAPE"
    std::string_view text;
};
std::span<const OtherName> other_names();

}  // namespace ptosim
