// Which files this process and all that it starts may open.
#pragma once

#include <string>
#include <vector>

namespace ptosim::worker {

// For good: the system's own files (/usr, /lib, ..., the C++ compiler's), the files and folders
// `read`, and the folders `write` with all that is in them. False if this system has no Landlock
// (Linux 5.13): nothing is restricted then.
bool restrict_files(const std::vector<std::string>& read, const std::vector<std::string>& write);

}  // namespace ptosim::worker
