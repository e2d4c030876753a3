// Compiles the sources of a checkout on all processors.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace ptosim {

// The object of each source, made in the folder by the compiler and options in `words`. Throws DiagnosticError `code`
// for a source that does not compile, whose messages it prints.
std::vector<std::string> compile_objects(const std::vector<std::string>& words,
                                         const std::vector<std::string>& sources,
                                         const std::filesystem::path& folder, const char* code, const char* hint);

}  // namespace ptosim
