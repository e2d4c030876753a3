// A session's result as text for users, and output of the requested files.
#pragma once

#include <iosfwd>
#include <string>

#include "sim/session/documents.h"
#include "sim/session/options.h"
#include "sim/session/result.h"

namespace ptosim {

// Notes, the distribution of time, and the assumed figures that affect it; empty for an unusable kernel.
std::string summary_text(const Result& result);
// The same in brief: time, bottleneck, two pieces of advice, a line per pipe.
std::string brief_text(const Result& result);
// Text such as "trace: DIR (recording.bin, trace.json, ...)", and omissions of the files.
std::string files_text(const Result& result, const SessionOptions& options);
// Errors that a device would not notice, as warnings.
std::string warnings_text(const Result& result);
// Synchronisation that adds no order, one line each.
std::string wasted_text(const Result& result);
// The number of findings, if checkers were chosen, and suppressions that matched none.
std::string count_text(const Result& result);
// A line for each golden that is equal, or for each that differs.
std::string goldens_text(const Result& result, bool equal);

// Writes the findings in options.format to options.report; without one, text to standard error and a document to
// `documents`. `kernel` is the file that was run.
void write_findings(const Result& result, const SessionOptions& options, std::ostream& documents,
                    const std::string& kernel);
// Writes the result JSON to the file in the options, if any.
void write_json(const Result& result, const SessionOptions& options);

}  // namespace ptosim
