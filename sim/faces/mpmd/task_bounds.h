// Accesses of tasks beyond the ends of their tensors.
#pragma once

#include <vector>

#include "isa/core/diagnostic.h"
#include "sim/faces/mpmd/kernel_sites.h"
#include "sim/faces/mpmd/program.h"

namespace ptosim::mpmd {

// G14, once for each kernel and line, of a run whose records have been read. The recorded access is cut at the end of
// its tensor, so that it does not also count as a race with the owner of the bytes after it.
std::vector<Diagnostic> end_at_tensors(Program& program, const Run& run, const SourceMap& sources, KernelSites& sites);

}  // namespace ptosim::mpmd
