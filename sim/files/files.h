// Reads and writes whole files; errors name the file.
#pragma once

#include <string>
#include <string_view>

#include "isa/core/input_file.h"

namespace ptosim {

// Writes a temporary file in the same folder and renames it, so that the file is complete or absent.
void write_file(const std::string& path, std::string_view content);
// Throws DiagnosticError (input) unless a file can be created at `path` (its folder exists).
void check_writable(const std::string& path);

// Makes a folder and its parents unless it exists. Throws DiagnosticError (input).
void make_folder(const std::string& path);

}  // namespace ptosim
