// Ascend C: kernels compiled with the headers of a checkout of asc-devkit, on the level of intrinsics.
#pragma once

#include <string>
#include <vector>

namespace ptosim {

// Throws DiagnosticError (H02) unless the folder is a checkout of asc-devkit, the folder `asc` of an installed toolkit,
// or empty.
void require_ascendc(const std::string& checkout);

// Options of the compiler for its headers. The script of the checkout generates the structures of tilings from their
// definitions into the cache folder, once. Throws DiagnosticError (H02).
std::vector<std::string> ascendc_flags(const std::string& checkout);

// True if a source that includes `files` is written in Ascend C rather than in tiles.
bool uses_ascendc(const std::vector<std::string>& files, const std::string& checkout);

// True if a source that includes `files` uses a library of tiles.
bool includes_tiles(const std::vector<std::string>& files);

}  // namespace ptosim
