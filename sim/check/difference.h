// The first access at which two runs of one launch with different timings differ, and the
// two accesses whose order is another in the two runs although nothing but time decides it.
#pragma once

#include <optional>
#include <string>

#include "sim/check/access_log.h"
#include "sim/check/findings.h"
#include "sim/memory/global_memory.h"

namespace ptosim::check {

struct Difference {
    bool found = false;
    // The bits depend on the order of atomic operations only, which may come in any order.
    bool atomic = false;
    Diagnostic finding;  // E30, without its notes
};

// `run` is by the chip's own timing. `output`: the address of a byte of global memory that differs
// when both have ended.
Difference first_difference(const AccessRecord& run, const AccessRecord& other, uint64_t output,
                            const SourceMap& sources, const GlobalMemory& memory);

}  // namespace ptosim::check
