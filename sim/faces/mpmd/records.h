// Reads the records that the runtime's collectors have written about a run: ids, hand-over and dependencies of its
// tasks, and the activity of its schedulers and its orchestrator. Formats are simpler's: chip_swimlane_records.json,
// deps.json, scope_stats.jsonl.
#pragma once

#include "sim/faces/mpmd/program.h"

namespace ptosim::mpmd {

// Reads the files in a run's folder and completes its tasks. Also writes name_map_program.json there (ids of functions
// and their kernels' names), which simpler's tools read. Missing data, and data that disagrees with the tasks that ran,
// is mentioned in the note of the run.
void read_records(Program& program, Run& run, uint64_t clock_hz);

}  // namespace ptosim::mpmd
