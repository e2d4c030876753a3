// The language for `ptosim isa` and the reference pages: operations other than instructions, an example of everything,
// attributes as the text spells them, calls of the C++ API.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "isa/table/attributes.h"

namespace ptosim::assembly {

// An operation of the dialect outside of the instruction table: one row of assembly_operations.def.
struct OperationHelp {
    std::string_view names;  // as the text writes them, separated by blanks
    std::string_view group;  // "tiles", "global memory"; "verified": --dry-run takes it, a run not
    std::string_view syntax;
    std::string_view summary;
};
std::span<const OperationHelp> operation_help();
// By any of its names, with or without "pto."; null for an unknown word.
const OperationHelp* find_operation_help(std::string_view word);

// Its syntax, for one of its names.
std::string syntax_of(const OperationHelp& operation, std::string_view name);

// The example of an operation ("pto.tadd", "scf.for"), of one or several lines without
// indentation and without a line break at its end; empty if there is none.
std::string example_of(std::string_view operation);
// The function or module around that example, as a file that --dry-run accepts.
std::string example_file(std::string_view operation);

// The attributes that the text gives in a dictionary, each in its usual spelling.
std::vector<const AttributeInfo*> attributes_in_text(const InstructionInfo& row);
// `rmode = #pto<round_mode RINT>` for every value: "rmode = #pto<round_mode VALUE>", and values.
std::string attribute_form(const AttributeInfo& attribute);

// A function of the C++ API: its call and its template parameters.
struct ApiCall {
    std::string_view call;      // "TCVT(dst, src, mode)"
    std::string choices;        // template parameters
    std::string_view only_for;  // an architecture; empty: all
};
std::vector<ApiCall> api_calls(std::string_view name);

// ptosim isa --operations.
std::string operations_page();

}  // namespace ptosim::assembly
