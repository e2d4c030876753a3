// Checks the use of memory that the runtime allocates for tasks and reuses after they have ended. A run's records list
// the tensors allocated for each task, and their users.
#pragma once

#include <vector>

#include "isa/core/diagnostic.h"
#include "isa/core/kernel.h"
#include "sim/faces/mpmd/program.h"

namespace ptosim::mpmd {

// Findings, one for each pair of kernels and kind, of a run whose records have been read:
//   G06: a task reads bytes that have not been written since their allocation
//   G08: a task uses memory that the runtime has given to a later one
std::vector<Diagnostic> heap_misuse(const Program& program, const Run& run,
                                    const SourceMap& sources);

}  // namespace ptosim::mpmd
