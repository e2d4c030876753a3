// A kept task (kept_task.h) as a kernel: it takes the cores of one cluster, and its parameters are the arrays of the
// task, whose values it does not need.
#pragma once

#include "sim/session/arguments.h"
#include "sim/session/kernel_file.h"
#include "sim/session/kept_task.h"

namespace ptosim {

// Loads the task in the folder `choice.path`. Its kernels are compiled again if their sources are there, otherwise those
// that have run are taken. Throws DiagnosticError (I70, H01, H02).
LoadedKernel load_task(const KernelChoice& choice, const ChipModel& chip);
// Puts the task's memory into place. Throws DiagnosticError: I70, and I11 if `words` (of --arg) are given.
std::vector<Argument> restore_arguments(const LoadedKernel& task, std::span<const std::string> words, GlobalMemory& memory);

}  // namespace ptosim
