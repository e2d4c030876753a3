// Why a change of the chip does or does not change the time of a kernel, as a sentence made of the counters of both
// runs: `work` of the result JSON, and `pipes`, which runner.cpp keeps. A new sentence needs a kernel in
// tests/cli/changes_test.py for which it is the planted answer.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "sim/faces/sweep/store.h"

namespace ptosim::sweep {

// The share of the time for which a run uses a resource: a pipe of the busiest core, or a rate that cores share.
struct Use {
    std::string name;  // "M", "V", "HBM"
    double share = 0;
    double fill = 1;  // of a pipe: mean over the cores / busiest core
    bool follows = false;  // a pipe of transfers that is busy because L2 or HBM is
};
// The largest share first, but L2 and HBM before transfers that they slow down; empty without a result.
std::vector<Use> uses_of(const Row& row);

// "M bounds the time (busy 83 %), and V (61 %) does if M becomes 1.36 times as fast".
std::string bound_text(const Row& row);

// The sentence for a point with changed figures compared with the base.
std::string reason_of(const Row& base, const Row& changed);

}  // namespace ptosim::sweep
