// Stores that may still be in flight when their block ends.
//
// The machine ends a block only when its pipes are empty, and so do the runtimes of the
// public suites. A kernel that cannot rely on that lets the scalar unit wait for the
// last stores, by a barrier of all pipes or by a flag. This checker has to be asked for.
#pragma once

#include <array>
#include <vector>

#include "sim/check/findings.h"
#include "sim/check/footprint.h"
#include "sim/check/timelines.h"

namespace ptosim::check {

class DrainChecker {
 public:
    DrainChecker(const Timelines& timelines, Findings& findings)
        : timelines_{timelines}, findings_{findings} {}
    void launch(const LaunchEvent& event);
    void block_begin(const RunEvent& event) { stores_[timelines_.index(event.core)] = {}; }
    void start(const InstructionEvent& event, const Footprint& footprint);
    // Called before the end itself makes the scalar unit wait.
    void block_end(const RunEvent& event);

 private:
    // The last store of a pipe to global memory; tick 0: none.
    struct Store {
        Tick tick = 0;
        std::string_view instruction;
        SourceLocation location;
        Cycle time = 0;
    };

    const Timelines& timelines_;
    Findings& findings_;
    const SourceMap* sources_ = nullptr;
    std::vector<std::array<Store, kPipeCount>> stores_;  // by core
};

}  // namespace ptosim::check
