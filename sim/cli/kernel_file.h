// A kernel from a file.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "isa/kernel.h"
#include "sim/model/chip_model.h"

namespace ptosim::cli {

// Reads, binds and plans the kernel in `path` for a chip. `entry` names the function; it may be
// empty if there is only one; `parameters` are words NAME=VALUE for a kernel that declares some.
// Throws DiagnosticError.
std::unique_ptr<Kernel> load_kernel(const std::string& path, const std::string& entry,
                                    const std::vector<std::string>& parameters,
                                    const ChipModel& chip);

}  // namespace ptosim::cli
