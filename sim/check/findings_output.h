// Diagnostics for people and for programs: text, JSON, SARIF 2.1.0, JUnit.
#pragma once

#include <iosfwd>
#include <string>
#include <vector>

#include "isa/core/diagnostic.h"
#include "sim/check/causes.h"
#include "sim/files/json.h"

namespace ptosim::check {

Json as_json(const Diagnostic& diagnostic, std::span<const Explanation> explanations = {});
// Adds the site's core, pipe, instruction, operand, cycle and bytes, as far as they apply.
void add_site(Json& json, const Site& site);
// Limit of code scanning for one run; the most important results come first.
inline constexpr size_t kMostResults = 25'000;
// `kernel` is the file that was run; findings without a location are shown at its first line.
// `properties` of the run, if any.
std::string as_sarif(const std::vector<Diagnostic>& findings, const std::string& kernel,
                     const Json* properties = nullptr,
                     std::span<const Explanation> explanations = {});
std::string as_junit(const std::vector<Diagnostic>& findings);
// Prints the first kMostTexts findings and the number of the others.
inline constexpr size_t kMostTexts = 20;
// `all` is the remedy to get the others, too.
std::string as_text(const std::vector<Diagnostic>& findings, std::string_view all);
// Derives the format from the end of a file's name: sarif; json; junit for .xml; text.
std::string format_of(const std::string& file);

// Writes findings to `file`. Without a name text goes to standard error and a document to
// `documents`. `kernel` is the file that was run.
void write_findings(const std::vector<Diagnostic>& findings, const std::string& format,
                    const std::string& file, std::ostream& documents, const std::string& kernel,
                    const Json* properties = nullptr,
                    std::span<const Explanation> explanations = {});
// Text such as "3 findings, met 17 times: 2 race, 1 sync", "1 finding that explains 18 more: 1
// race", or "no findings".
std::string count_text(const std::vector<Diagnostic>& findings, size_t suppressed,
                       std::span<const Explanation> explanations = {});

}  // namespace ptosim::check
