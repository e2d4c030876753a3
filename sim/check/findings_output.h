// Diagnostics for people and for programs: text, JSON, SARIF 2.1.0, JUnit.
#pragma once

#include <iosfwd>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "isa/core/diagnostic.h"

namespace ptosim::check {

nlohmann::ordered_json as_json(const Diagnostic& diagnostic);
// Where in the machine: core, pipe, instruction, operand, cycle, bytes; what applies of them.
void add_site(nlohmann::ordered_json& json, const Site& site);
// What code scanning takes of one run; the most important results come first.
inline constexpr size_t kMostResults = 25'000;
// `kernel` is the file that was run; findings without a place are shown at its first line.
// `properties` of the run, if there are any.
std::string as_sarif(const std::vector<Diagnostic>& findings, const std::string& kernel,
                     const nlohmann::ordered_json* properties = nullptr);
std::string as_junit(const std::vector<Diagnostic>& findings);
// The first kMostTexts of them, and how many more there are.
inline constexpr size_t kMostTexts = 20;
// `all` is how to get those, too.
std::string as_text(const std::vector<Diagnostic>& findings, std::string_view all);
// By the end of a file's name: sarif; json; junit of .xml; text.
std::string format_of(const std::string& file);

// Writes them to `file`; without a name text goes to standard error and a document to `documents`.
// `kernel` is the file that was run.
void write_findings(const std::vector<Diagnostic>& findings, const std::string& format,
                    const std::string& file, std::ostream& documents, const std::string& kernel,
                    const nlohmann::ordered_json* properties = nullptr);
// "3 findings, met 17 times: 2 race, 1 sync"; "no findings".
std::string count_text(const std::vector<Diagnostic>& findings, size_t suppressed);

}  // namespace ptosim::check
