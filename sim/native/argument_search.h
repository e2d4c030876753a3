// Integer arguments with which a compiled kernel takes branches that it has not taken, found from
// what its branches compare.
#pragma once

#include <vector>

#include "isa/assembly/paths/dry_port.h"

namespace ptosim {

// Other arguments, each with something new, the plainest first, not more than `most`. None if the
// kernel was not compiled with branch_flags(). Its control flow is run with arguments that it may
// not be made for: in a process that ends with it.
std::vector<std::vector<uint64_t>> search_arguments(const Kernel& kernel,
                                                    const std::vector<uint64_t>& given,
                                                    const DryLaunch& launch, size_t most);

}  // namespace ptosim
