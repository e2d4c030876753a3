// Races: two accesses to a common byte, at least one a write, that nothing orders.
#pragma once

#include <array>
#include <vector>

#include "sim/check/findings.h"
#include "sim/check/footprint.h"
#include "sim/check/redundant_sync.h"
#include "sim/check/shadow.h"
#include "sim/memory/global_memory.h"

namespace ptosim::check {

class RaceChecker {
 public:
    RaceChecker(const Timelines& timelines, const GlobalMemory& global, Findings& findings,
                Budget& budget, RedundantSync* wasted);
    void launch(const LaunchEvent& event);
    // The accesses of an instruction that starts, in their order.
    void start(const InstructionEvent& event, const Footprint& footprint);
    void scalar_access(const ScalarAccessEvent& event);

 private:
    struct Touch {
        Record record;
        bool global = false;
        Space space = Space::kUB;
        uint16_t memory = 0;  // whose, if not global
    };

    void check(const Touch& touch);
    void remember(const Touch& touch);
    void report(const Touch& touch, const Record& earlier);
    Diagnostic describe(const Touch& touch, const Record& first, const Record& second,
                        const char* code, const char* kind) const;
    RunAs run_as() const;
    // What flags from the one's pipe to the other's have to do with them; empty: nothing.
    std::string flag_between(const Record& first, const Record& second) const;
    Shadow& shadow(const Touch& touch);

    const Timelines& timelines_;
    const GlobalMemory& memory_;
    Findings& findings_;
    Budget& budget_;
    RedundantSync* wasted_;  // may be null
    const SourceMap* sources_ = nullptr;
    Shadow global_;
    bool global_used_ = false;
    std::vector<std::array<Shadow, kSpaceCount>> local_;  // by core
};

}  // namespace ptosim::check
