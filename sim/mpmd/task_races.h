// Races between tasks: two that touch the same bytes of global memory, at least one of them
// writing, with no path of dependencies from one to the other. That one ran after the other in this
// run was luck. Tasks are taken in the order of their submits; each access is compared with the
// last write to its bytes, and with what was read since.
#pragma once

#include <vector>

#include "isa/core/diagnostic.h"
#include "isa/core/kernel.h"
#include "sim/mpmd/program.h"

namespace ptosim::mpmd {

// Findings G05, one for each pair of kernels and kind, of a run whose records have been read. Parts
// of one task are not compared with each other: they may agree by flags. Bytes outside the tensors
// that the program was given may be allocated anew once a task has ended: there only tasks that
// could run at the same time are compared.
std::vector<Diagnostic> task_races(const Program& program, const Run& run,
                                   const SourceMap& sources);

}  // namespace ptosim::mpmd
