// One picture of several chips with one clock: the files trace.json of their recordings as one.
#pragma once

#include <filesystem>

namespace ptosim {

// Writes trace.json of the folder from the trace.json of its folders chip0, chip1, ..., `chips` of them: processes and
// lanes are named and ordered by chip. Writes nothing if one of them is missing. Fails with DiagnosticError (I40).
void write_chips_trace(const std::filesystem::path& folder, unsigned chips);

}  // namespace ptosim
