// A chip's figures with the names of CANN's platform files (platform_config/CHIP.ini), which build scripts and the host
// part of kernels read.
#pragma once

#include <map>
#include <string>

#include "sim/machine/model/chip_model.h"

namespace ptosim {

using PlatformFigures = std::map<std::string, std::map<std::string, std::string>>;  // by group and key

PlatformFigures platform_figures(const ChipModel& chip);

// A model's name in CANN's spelling: "Ascend910B1".
std::string soc_name(const ChipModel& chip);

}  // namespace ptosim
