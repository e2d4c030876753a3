#include "sim/faces/worker/restricted_files.h"

#include <fcntl.h>
#include <linux/landlock.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstdint>
#include <cstdlib>
#include <filesystem>

namespace ptosim::worker {
namespace {

namespace fs = std::filesystem;

constexpr uint64_t kRead =
    LANDLOCK_ACCESS_FS_READ_FILE | LANDLOCK_ACCESS_FS_READ_DIR | LANDLOCK_ACCESS_FS_EXECUTE;
constexpr uint64_t kWrite = LANDLOCK_ACCESS_FS_WRITE_FILE | LANDLOCK_ACCESS_FS_REMOVE_FILE |
                            LANDLOCK_ACCESS_FS_REMOVE_DIR | LANDLOCK_ACCESS_FS_MAKE_REG |
                            LANDLOCK_ACCESS_FS_MAKE_DIR | LANDLOCK_ACCESS_FS_MAKE_SYM;
constexpr uint64_t kOther = LANDLOCK_ACCESS_FS_MAKE_CHAR | LANDLOCK_ACCESS_FS_MAKE_BLOCK |
                            LANDLOCK_ACCESS_FS_MAKE_SOCK | LANDLOCK_ACCESS_FS_MAKE_FIFO;
// Rights of later versions, by their bits, because headers of Linux 5.13 lack their names.
constexpr uint64_t kRename = 1u << 13;    // between folders; version 2
constexpr uint64_t kTruncate = 1u << 14;  // version 3
// Rights for files that are not folders.
constexpr uint64_t kOfFiles = LANDLOCK_ACCESS_FS_READ_FILE | LANDLOCK_ACCESS_FS_EXECUTE |
                              LANDLOCK_ACCESS_FS_WRITE_FILE | kTruncate;

void allow(int rules, const std::string& path, uint64_t rights) {
    const int file = open(path.c_str(), O_PATH | O_CLOEXEC);
    struct stat status {};
    if (file < 0 || fstat(file, &status) != 0) return;  // missing files need no rule
    landlock_path_beneath_attr rule{};
    rule.allowed_access = S_ISDIR(status.st_mode) ? rights : rights & kOfFiles;
    rule.parent_fd = file;
    syscall(__NR_landlock_add_rule, rules, LANDLOCK_RULE_PATH_BENEATH, &rule, 0);
    close(file);
}

// The prefix of the C++ compiler in PATH, which may differ from /usr.
std::string compiler_prefix() {
    const char* const path = std::getenv("PATH");
    const std::string folders = std::string(path == nullptr ? "" : path) + ":";
    for (size_t at = 0, end = 0; (end = folders.find(':', at)) != std::string::npos; at = end + 1) {
        std::error_code error;
        const fs::path found = fs::canonical(folders.substr(at, end - at) + "/c++", error);
        if (!error) return found.parent_path().parent_path();
    }
    return {};
}

}  // namespace

bool restrict_files(const std::vector<std::string>& read, const std::vector<std::string>& write) {
    const long version =
        syscall(__NR_landlock_create_ruleset, nullptr, 0, LANDLOCK_CREATE_RULESET_VERSION);
    if (version < 1) return false;
    const uint64_t later = (version >= 2 ? kRename : 0) | (version >= 3 ? kTruncate : 0);
    landlock_ruleset_attr handled{};
    handled.handled_access_fs = kRead | kWrite | kOther | later;
    const int rules = static_cast<int>(
        syscall(__NR_landlock_create_ruleset, &handled, sizeof handled.handled_access_fs, 0));
    if (rules < 0) return false;
    for (const char* folder : {"/usr", "/lib", "/lib32", "/lib64", "/libx32", "/bin",
                               "/etc/alternatives", "/etc/ld.so.cache", "/etc/ld.so.preload"})
        allow(rules, folder, kRead);
    const std::string prefix = compiler_prefix();
    if (prefix.size() > 1) allow(rules, prefix, kRead);
    for (const char* file : {"/dev/null", "/dev/urandom"})
        allow(rules, file,
              LANDLOCK_ACCESS_FS_READ_FILE | LANDLOCK_ACCESS_FS_WRITE_FILE | (later & kTruncate));
    for (const std::string& path : read) allow(rules, path, kRead);
    for (const std::string& folder : write) allow(rules, folder, kRead | kWrite | later);
    const bool held = prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
                      syscall(__NR_landlock_restrict_self, rules, 0) == 0;
    close(rules);
    return held;
}

}  // namespace ptosim::worker
