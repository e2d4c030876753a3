// Reads a step of a program of many chips (docs/models.md).
#pragma once

#include <string>

#include "sim/system/step.h"

namespace ptosim::cli {

// Paths of run records are relative to the file. Throws DiagnosticError (I23, I01).
SystemStep read_step(const std::string& path, const SystemModel& system);

}  // namespace ptosim::cli
