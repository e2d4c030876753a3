// Runs by paths that a launch has not taken: their budget and their results.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace ptosim {

struct PathBudget {
    static constexpr unsigned kRuns = 32;  // the default of `ptosim check`
    // Limit for all runs of a launch together, about 0.3 s.
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
    PathBudget budget;  // budget of each launch
    unsigned runs = 0;
    uint64_t instructions = 0;  // issued by these runs
    bool used_up = false;       // the budget ended before everything was tried
    std::vector<Reached> reached;
};

}  // namespace ptosim
