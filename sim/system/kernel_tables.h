// Tables of times for msmodeling (Ascend/msmodeling), which has none for some chips: its profiling database.
#pragma once

#include <map>
#include <string>

#include "sim/system/step.h"

namespace ptosim {

// Texts by the paths of their files: kernels/op_mapping.yaml, kernels/TYPE.csv with a row for each work of the step that
// names its kernel, hccl/hcom_NAME_.csv with estimates from 1 KiB to 512 MiB for the groups of the step and of a host.
std::map<std::string, std::string> kernel_tables(const SystemModel& system, const SystemStep& step);

}  // namespace ptosim
