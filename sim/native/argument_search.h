// Finds integer arguments with which a compiled kernel takes new branches, from the comparisons in its branches.
#pragma once

#include <vector>

#include "isa/assembly/paths/dry_port.h"

namespace ptosim {

// Returns at most `most` further argument lists, each with a new effect, the simplest first; empty if the kernel was
// not compiled with branch_flags(). The kernel's control flow runs with arguments for which it may not be made, so the
// call must be in a process that ends with it.
std::vector<std::vector<uint64_t>> search_arguments(const Kernel& kernel,
                                                    const std::vector<uint64_t>& given,
                                                    const DryLaunch& launch, size_t most);

}  // namespace ptosim
