// What tasks do with memory that the runtime allocates for them, and allocates anew when they have
// ended: a run's records say which tensors a task has had made, and who uses them.
#pragma once

#include <vector>

#include "isa/core/diagnostic.h"
#include "isa/core/kernel.h"
#include "sim/mpmd/program.h"

namespace ptosim::mpmd {

// Findings, one for each pair of kernels and kind, of a run whose records have been read:
//   G06: a task reads bytes that nobody has written since they were allocated
//   G08: a task uses memory that the runtime has given to a later one
std::vector<Diagnostic> heap_misuse(const Program& program, const Run& run,
                                    const SourceMap& sources);

}  // namespace ptosim::mpmd
