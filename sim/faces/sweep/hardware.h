// The hardware of a point: a chip, and for programs the system that joins several of them. A plan varies figures of both;
// paths that begin with "system." are of the system.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "sim/machine/model/chip_model.h"
#include "sim/machine/model/system_model.h"

namespace ptosim::sweep {

struct Hardware {
    std::string folder;                  // files are relative to it
    std::string chip;                    // a name or a file
    std::string system;                  // the same; empty: one chip
    std::vector<std::string> overrides;  // PATH=VALUE
};

inline bool is_of_system(const std::string& path) { return path.starts_with(kSystemPrefix); }

// Both throw DiagnosticError like load_chip() and load_system().
ChipModel chip_of(const Hardware& hardware);
SystemModel system_of(const Hardware& hardware);
// Loads both. Throws DiagnosticError, also for a path of a system without a system.
void check(const Hardware& hardware);
// The value of a parameter as its file states it, with its unit; empty if the file states none.
std::string stated_value(const Hardware& hardware, const std::string& path);
// A figure with its unit after a change, and before it: "x1.5" multiplies the stated value.
std::pair<std::string, std::string> changed_figure(const Hardware& hardware, const std::string& path, const std::string& value);
// Everything that times on the system depend on, as text; empty without a system.
std::string system_fingerprint(const Hardware& hardware);

}  // namespace ptosim::sweep
