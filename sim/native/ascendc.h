// Ascend C: kernels that are compiled with the headers of a checkout of asc-devkit, on the level of
// intrinsics.
#pragma once

#include <string>
#include <vector>

namespace ptosim {

// Throws DiagnosticError (H02) unless the folder is a checkout of asc-devkit, or the folder `asc` of an
// installed toolkit; nothing happens if it is empty.
void require_ascendc(const std::string& checkout);

// Options of the compiler for its headers. The structures of tilings, which it has as definitions, are
// made by its own script into the cache folder once. Throws DiagnosticError (H02).
std::vector<std::string> ascendc_flags(const std::string& checkout);

// Whether a source whose headers are `files` is written in Ascend C and not in tiles.
bool uses_ascendc(const std::vector<std::string>& files, const std::string& checkout);

}  // namespace ptosim
