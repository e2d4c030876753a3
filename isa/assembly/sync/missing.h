// Adds missing flags, and removes unneeded ones. Part of flag insertion (insertion.h).
#pragma once

#include <set>
#include <vector>

#include "isa/assembly/sync/walk.h"

namespace ptosim::assembly::sync {

// Adds to `flags` until nothing can start before the work that it depends on is complete. A flag whose key is in
// `given_up` is replaced by a barrier of all pipes.
void add_missing(const Outline& outline, const std::vector<Bits>& conflicts,
                 const std::set<Flag::Key>& given_up, std::vector<Flag>& flags);

// Removes flags, together with their answers, as long as everything stays ordered without them.
void take_superfluous(const Outline& outline, const std::vector<Bits>& conflicts,
                      std::vector<Flag>& flags);

// Together with its answers.
void set_gone(std::vector<Flag>& flags, size_t f, bool gone);

}  // namespace ptosim::assembly::sync
