// A session's result for people, and the files that were asked for.
#pragma once

#include <iosfwd>
#include <string>

#include "sim/session/documents.h"
#include "sim/session/options.h"
#include "sim/session/result.h"

namespace ptosim {

// Notes, where the time went, and the assumed figures that it rests on; nothing of a kernel that
// cannot be used.
std::string summary_text(const Result& result);
// The same in brief: time, bottleneck, two pieces of advice, a line per pipe.
std::string brief_text(const Result& result);
// "trace: DIR (recording.bin, trace.json, ...)", and what the files leave out.
std::string files_text(const Result& result, const SessionOptions& options);
// Errors that stay unnoticed on a device, as warnings.
std::string warnings_text(const Result& result);
// Synchronisation that orders nothing, a line each.
std::string wasted_text(const Result& result);
// How many findings there are, if checkers were chosen, and suppressions that matched none.
std::string count_text(const Result& result);
// A line for each golden that is equal, or for each that is not.
std::string goldens_text(const Result& result, bool equal);

// Writes the findings in options.format to options.report, or text to standard error and a document
// to `documents`. `kernel` is the file that was run.
void write_findings(const Result& result, const SessionOptions& options, std::ostream& documents,
                    const std::string& kernel);
// Writes the result JSON where the options say, if they do.
void write_json(const Result& result, const SessionOptions& options);

}  // namespace ptosim
