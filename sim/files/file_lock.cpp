#include "sim/files/file_lock.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <thread>
#include <utility>

namespace ptosim {
namespace {

// The holder removes the file when it is done. A lock on a removed file excludes nobody.
bool is_named(int file, const std::string& path) {
    struct stat opened {
    }, named{};
    return fstat(file, &opened) == 0 && stat(path.c_str(), &named) == 0 &&
           opened.st_ino == named.st_ino && opened.st_dev == named.st_dev;
}

}  // namespace

FileLock::FileLock(std::string path) : path_{std::move(path)} {
    using namespace std::chrono_literals;
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(kPatience);
    while (std::chrono::steady_clock::now() < end) {
        file_ = open(path_.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666);
        if (file_ < 0) return;
        if (flock(file_, LOCK_EX | LOCK_NB) == 0 && is_named(file_, path_)) return;
        const bool taken = errno == EWOULDBLOCK || errno == EINTR || !is_named(file_, path_);
        close(std::exchange(file_, -1));
        if (!taken) return;
        std::this_thread::sleep_for(10ms);
    }
}

FileLock::~FileLock() {
    if (file_ < 0) return;
    unlink(path_.c_str());
    close(file_);
}

}  // namespace ptosim
