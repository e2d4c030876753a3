// One process at a time: a lock that goes with the process that holds it.
#pragma once

#include <string>

namespace ptosim {

// An exclusive lock named by a file, which exists while the lock is held. Waits for
// others up to kPatience, and then goes on without it, as it does where the file
// system has no locks: a user must be correct without it, and only saves double work.
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
