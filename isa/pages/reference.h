// The reference page of the instruction set, made from the instruction table alone.
#pragma once

#include <string>
#include <string_view>

#include "isa/table/instruction_table.h"

namespace ptosim {

// ptosim isa --markdown.
std::string reference_page();

// Spelling of an instruction's pipe, and of an operand's role and kinds.
std::string_view text(PipeRule rule);
std::string_view text(OperandRole role);
std::string kinds_text(uint8_t kinds);

// ptosim isa --coverage: instructions by architecture, and codes by rule.
std::string coverage_page();

// ptosim isa --open-rules: numeric rules that a board settles.
std::string open_rules_page();

// Number of golden cases (isa/semantics/make_goldens.py) for an instruction: all of them, or the ones that are run for
// an architecture (kirin runs the cases of a5).
unsigned golden_cases(Opcode opcode);
unsigned golden_cases(Opcode opcode, Arch arch);

// Names of the C++ API without a row in the table, with their replacement or the reason for their absence.
struct OtherName {
    std::string_view name;  // "TRESHAPE"
    std::string_view text;
};
std::span<const OtherName> other_names();

}  // namespace ptosim
