// A kernel from a file.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "isa/kernel.h"
#include "sim/model/chip_model.h"

namespace ptosim::cli {

// The kernel in `path` for a chip: a .pto file is read, bound and planned; a C++ source is built
// first; of what `ptosim build` made the device images are taken. `entry` names the function; it
// may be empty if there is only one; `parameters` are words NAME=VALUE for a .pto kernel that
// declares some. Throws DiagnosticError.
std::unique_ptr<Kernel> load_kernel(const std::string& path, const std::string& entry,
                                    const std::vector<std::string>& parameters,
                                    const ChipModel& chip);

}  // namespace ptosim::cli
