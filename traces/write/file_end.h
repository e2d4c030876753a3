// Adds to a file that has been written.
#pragma once

#include <filesystem>
#include <string_view>

namespace ptosim {

// Puts `text` in front of `end`, with which the file has to end. Fails with DiagnosticError (I40).
void add_before_end(const std::filesystem::path& path, std::string_view text, std::string_view end);

}  // namespace ptosim
