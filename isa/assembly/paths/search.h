// Finds arguments, or values for steps, with which a run of a kernel reaches parts that no run has reached so far.
//
// Nothing is solved: the search tries values that the text suggests and runs only the control flow with them
// (dry_run.h).
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "isa/assembly/paths/dry_run.h"
#include "isa/assembly/paths/forced.h"
#include "isa/assembly/paths/targets.h"

namespace ptosim::assembly {

// The difference of a run from the requested one.
struct PathChoice {
    std::vector<uint64_t> arguments;  // all of them
    uint32_t blocks = 1;
    std::vector<ForcedStep> forced;

    // It moves addresses in global memory: the arrays were not made for these arguments.
    bool moves_addresses = false;
};

class PathSearch {
 public:
    // `kernel` must outlive this. `base` is the requested run; `most_blocks` may be chosen: as many as in `base` if
    // their number is given.
    PathSearch(const AssemblyKernel& kernel, PathChoice base, DryLaunch launch,
               uint32_t most_blocks);

    // Choices that lead to the target, the plainest first, not more than `most`: other arguments if
    // they alone decide it, otherwise what loads give, or the outcome of the condition.
    std::vector<PathChoice> find(const PathTarget& target, size_t most);
    // It has run the control flow so often that nothing more is tried.
    bool used_up() const;

 private:
    struct Variable;
    std::vector<Variable> variables_of(const Origins& origins) const;
    std::vector<Variable> loads_of(const Origins& origins, bool whole) const;
    std::vector<uint64_t> suggestions(const Origins& origins, uint64_t base) const;
    void try_values(const PathTarget& target, const std::vector<Variable>& variables, size_t most,
                    std::vector<PathChoice>& found);
    std::optional<PathChoice> force(const PathTarget& target);
    bool leads_to(const PathTarget& target, const PathChoice& choice);

    const AssemblyKernel& kernel_;
    const PathChoice base_;
    DryLaunch launch_;
    const uint32_t most_blocks_;
    OriginFinder origins_;
    Conditions conditions_;
    Origins addresses_;
    // Left for the target: runs of the control flow, and their operations.
    unsigned tries_ = 0;
    uint64_t operations_ = 0;
    uint64_t all_operations_ = 0;  // that have been executed
    uint64_t dear_ = 0;  // operations of a run that costs much
    std::optional<PathChoice> dear_choice_;
};

}  // namespace ptosim::assembly
