// Races between tasks: two tasks touch the same bytes of global memory, at least one of them writes, and no path of
// dependencies leads from one to the other, so that their order in this run was arbitrary. Tasks are processed in the
// order of their submits. Each access is compared with the last write to its bytes, and with the reads since.
#pragma once

#include <vector>

#include "isa/core/diagnostic.h"
#include "isa/core/kernel.h"
#include "sim/faces/mpmd/program.h"

namespace ptosim::mpmd {

// Findings G05, one for each pair of kernels and kind, of a run whose records have been read. Parts of one task are not
// compared, because they may synchronise by flags. Bytes outside the tensors passed to the program may be reallocated
// once a task has ended, so there only tasks that could run at the same time are compared.
std::vector<Diagnostic> task_races(const Program& program, const Run& run,
                                   const SourceMap& sources);

}  // namespace ptosim::mpmd
