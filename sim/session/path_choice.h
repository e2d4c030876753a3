// Paths that a launch has not taken and that are run as well: how many runs may be made, and what
// they have reached.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace ptosim {

struct PathBudget {
    static constexpr unsigned kRuns = 32;  // of `ptosim check`
    // Of all runs of a launch together: some 0.3 s.
    static constexpr uint64_t kInstructions = 60'000;

    unsigned runs = 0;  // 0: none
    uint64_t instructions = kInstructions;
};

struct PathSummary {
    struct Reached {
        std::string file;
        uint32_t line = 0;
        std::string what;  // as Scope::Point
        std::string with;  // "%n = 0"; "k.pto:12 loads 3"
        bool forced = false;
    };
    PathBudget budget;  // of the launches
    unsigned runs = 0;
    uint64_t instructions = 0;  // that they have issued
    bool used_up = false;       // the budget has ended before all was tried
    std::vector<Reached> reached;
};

}  // namespace ptosim
