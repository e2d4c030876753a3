// What the runtime's collectors have written of a run: its tasks' ids, hand-over and dependencies,
// what its schedulers and its orchestrator did. Formats are simpler's: chip_swimlane_records.json,
// deps.json, scope_stats.jsonl.
#pragma once

#include "sim/mpmd/program.h"

namespace ptosim::mpmd {

// Reads the files of a run's folder, completes its tasks, and writes beside them
// name_map_program.json (ids of functions and their kernels' names), which simpler's tools read.
// What is missing or does not agree with the tasks that ran stands in the note of the run.
void read_records(Program& program, Run& run, uint64_t clock_hz);

}  // namespace ptosim::mpmd
