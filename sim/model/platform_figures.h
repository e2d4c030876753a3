// A chip's figures by the names of CANN's platform files (platform_config/CHIP.ini), which build scripts
// and the host part of kernels read.
#pragma once

#include <map>
#include <string>

#include "sim/model/chip_model.h"

namespace ptosim {

using PlatformFigures = std::map<std::string, std::map<std::string, std::string>>;  // by group and key

PlatformFigures platform_figures(const ChipModel& chip);

// "Ascend910B1": a model's name as CANN writes it.
std::string soc_name(const ChipModel& chip);

}  // namespace ptosim
