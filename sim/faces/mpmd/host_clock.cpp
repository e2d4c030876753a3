#include "sim/faces/mpmd/host_clock.h"

#include <sys/syscall.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <string>

namespace ptosim::mpmd {

// Each of several chips has a folder such as .../chip3.
int host_process() {
    const char* const folder = std::getenv("PTOSIM_TRACE");
    if (folder == nullptr || *folder == '\0') return getpid();
    const std::string name = std::filesystem::path(folder).filename().string();
    const size_t digits = name.find_last_not_of("0123456789") + 1;
    const bool of_several = name.starts_with("chip") && digits == 4 && name.size() < 4 + 6;
    return 1 + (of_several && name.size() > 4 ? std::stoi(name.substr(4)) : 0);
}

int host_thread() {
    const char* const folder = std::getenv("PTOSIM_TRACE");
    if (folder == nullptr || *folder == '\0') return static_cast<int>(syscall(SYS_gettid));
    static std::atomic<int> threads = 0;
    thread_local int number = 0;
    if (number == 0) number = ++threads;
    return number;
}

}  // namespace ptosim::mpmd
