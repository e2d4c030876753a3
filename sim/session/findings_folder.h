// Collects the findings of all processes that a command starts. `ptosim exec` makes a folder and puts its name into the
// variable PTOSIM_FINDINGS. Each process adds a file with its findings, and exec reads them when the command has ended.
#pragma once

#include <string>
#include <vector>

#include "isa/core/diagnostic.h"

namespace ptosim {

// The running test of pytest; empty: none.
std::string current_test();
// Findings of a test (empty: of none) as a JSON document: `test`, `process`, `findings` (code, line, text) for
// sim/faces/mpmd/python, and `packed` for read_findings().
std::string findings_document(const std::vector<Diagnostic>& findings, const std::string& test);
// Adds a document to the folder, if there is one. Throws DiagnosticError (I02).
void add_to_findings_folder(const std::string& document);
// All findings, by test, then by time; a note names the test. Throws DiagnosticError (I02) for an unreadable file.
std::vector<Diagnostic> read_findings(const std::string& folder);

}  // namespace ptosim
