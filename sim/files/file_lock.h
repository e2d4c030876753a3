// A lock between processes, which is released when its process ends.
#pragma once

#include <string>

namespace ptosim {

// An exclusive lock named by a file, which exists while the lock is held. Waits up to kPatience for others, and then
// continues without the lock, as on file systems without locks. Its users must be correct without it; it only avoids
// double work.
class FileLock {
 public:
    explicit FileLock(std::string path);
    ~FileLock();
    FileLock(const FileLock&) = delete;
    FileLock& operator=(const FileLock&) = delete;

 private:
    static constexpr int kPatience = 300;  // seconds

    std::string path_;
    int file_ = -1;
};

}  // namespace ptosim
