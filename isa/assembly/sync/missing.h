// Adds the flags that are missing, and removes those that
// are not needed. Part of flag insertion (insertion.h).
#pragma once

#include <set>
#include <vector>

#include "isa/assembly/sync/walk.h"

namespace ptosim::assembly::sync {

// Adds to `flags` until nothing can start before what it must find complete. Where a flag would
// have a key that is in `given_up`, a barrier of all pipes stands instead.
void add_missing(const Outline& outline, const std::vector<Bits>& conflicts,
                 const std::set<Flag::Key>& given_up, std::vector<Flag>& flags);

// Takes flags away, each with its answer, as long as everything stays ordered without.
void take_superfluous(const Outline& outline, const std::vector<Bits>& conflicts,
                      std::vector<Flag>& flags);

// With what answers it.
void set_gone(std::vector<Flag>& flags, size_t f, bool gone);

}  // namespace ptosim::assembly::sync
