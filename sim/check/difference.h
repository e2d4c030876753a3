// The first access at which two runs of one launch with different timings differ, and the two accesses whose order
// differs between the runs because only time decides it.
#pragma once

#include <optional>
#include <string>

#include "sim/check/access_log.h"
#include "sim/check/findings.h"
#include "sim/machine/memory/global_memory.h"

namespace ptosim::check {

struct Difference {
    bool found = false;
    // The bits depend only on the order of atomic operations, which is free.
    bool atomic = false;
    Diagnostic finding;  // E30, without its notes
};

// `run` has the chip's own timing. `output`: address of a byte of global memory that differs after both have ended.
Difference first_difference(const AccessRecord& run, const AccessRecord& other, uint64_t output,
                            const SourceMap& sources, const GlobalMemory& memory);

}  // namespace ptosim::check
