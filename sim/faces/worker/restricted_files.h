// Restricts the files that this process and its children may open.
#pragma once

#include <string>
#include <vector>

namespace ptosim::worker {

// Permanently restricts access to the system's own files (/usr, /lib, ..., the C++ compiler's), the files and folders
// `read`, and the folders `write` with their contents. Returns false, without restrictions, if this system lacks
// Landlock (Linux 5.13).
bool restrict_files(const std::vector<std::string>& read, const std::vector<std::string>& write);

}  // namespace ptosim::worker
