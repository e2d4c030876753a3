// Whole files, with errors that name them.
#pragma once

#include <string>
#include <string_view>

#include "isa/core/input_file.h"

namespace ptosim {

// Writes beside the file and renames, so that a file is whole or not there.
void write_file(const std::string& path, std::string_view content);
// Throws DiagnosticError (input) unless a file can be created at `path` (its folder exists).
void check_writable(const std::string& path);

// Makes a folder, and those above it, unless it is there. Throws DiagnosticError (input).
void make_folder(const std::string& path);

}  // namespace ptosim
