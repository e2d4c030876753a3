// Findings of all processes that a command starts. `ptosim exec` makes a folder that the variable
// PTOSIM_FINDINGS names, each process adds a file for those that it has found, and exec reads them
// when the command has ended.
#pragma once

#include <string>
#include <vector>

#include "isa/core/diagnostic.h"

namespace ptosim {

// The test of pytest that runs; empty: none.
std::string current_test();
// Findings of a test (empty: of none) as a JSON document: `test`, `process`, `findings` (code,
// line, text) for sim/mpmd/python, and `packed` for read_findings().
std::string findings_document(const std::vector<Diagnostic>& findings, const std::string& test);
// Adds a document to the folder, if there is one. Throws DiagnosticError (I02).
void add_to_findings_folder(const std::string& document);
// All of them, by test, then in their order of time; a note names the test. Throws DiagnosticError
// (I02) for a file that cannot be read.
std::vector<Diagnostic> read_findings(const std::string& folder);

}  // namespace ptosim
