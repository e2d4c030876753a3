#include "sim/faces/worker/sandbox.h"

#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstddef>
#include <cstring>
#include <filesystem>
#include <fstream>

namespace ptosim::worker {
namespace {

#ifdef __x86_64__
constexpr uint32_t kArchitecture = AUDIT_ARCH_X86_64;
#elif defined(__aarch64__)
constexpr uint32_t kArchitecture = AUDIT_ARCH_AARCH64;
#else
#error "the sandbox supports x86-64 and AArch64 only"
#endif

// Calls that the simulator needs after its setup. None of them reaches another process or opens a file.
constexpr std::array kAllowed = {
    __NR_read,
    __NR_write,
    __NR_readv,
    __NR_writev,
    __NR_pread64,
    __NR_recvmsg,
    __NR_sendmsg,
    __NR_close,
    __NR_fstat,
    __NR_lseek,
    __NR_mmap,
    __NR_mprotect,
    __NR_munmap,
    __NR_mremap,
    __NR_madvise,
    __NR_brk,
    __NR_rt_sigaction,
    __NR_rt_sigprocmask,
    __NR_rt_sigreturn,
    __NR_rt_sigpending,
    __NR_rt_sigtimedwait,
    __NR_sigaltstack,
    __NR_futex,
    __NR_sched_yield,
    __NR_getpid,
    __NR_getppid,
    __NR_gettid,
    __NR_clock_gettime,
    __NR_clock_getres,
    __NR_clock_nanosleep,
    __NR_nanosleep,
    __NR_exit,
    __NR_exit_group,
    __NR_timer_create,
    __NR_timer_settime,
    __NR_timer_delete,
    __NR_getrandom,
    __NR_memfd_create,
    __NR_getrusage,
    __NR_set_robust_list,
    __NR_gettimeofday,
    __NR_sched_getaffinity,
    __NR_restart_syscall,
#ifdef __NR_time
    __NR_time,
#endif
};

// Readable names. Calls without one are shown by number.
struct CallName {
    long number;
    const char* name;
    int path = -1;  // which argument is a path
};
constexpr std::array kNames = {
    CallName{__NR_openat, "open", 1},
    CallName{__NR_unlinkat, "unlink", 1},
    CallName{__NR_mkdirat, "mkdir", 1},
    CallName{__NR_newfstatat, "stat", 1},
    CallName{__NR_readlinkat, "readlink", 1},
    CallName{__NR_faccessat, "access", 1},
    CallName{__NR_chdir, "chdir", 0},
    CallName{__NR_execve, "execve", 0},
#ifdef __NR_open
    CallName{__NR_open, "open", 0},
    CallName{__NR_creat, "creat", 0},
    CallName{__NR_unlink, "unlink", 0},
    CallName{__NR_mkdir, "mkdir", 0},
    CallName{__NR_stat, "stat", 0},
    CallName{__NR_readlink, "readlink", 0},
    CallName{__NR_access, "access", 0},
    CallName{__NR_fork, "fork"},
    CallName{__NR_vfork, "fork"},
    CallName{__NR_rename, "rename", 0},
#endif
    CallName{__NR_clone, "fork"},
    CallName{__NR_clone3, "fork"},
    CallName{__NR_socket, "socket"},
    CallName{__NR_connect, "connect"},
    CallName{__NR_kill, "kill"},
    CallName{__NR_tkill, "kill"},
    CallName{__NR_tgkill, "kill"},
    CallName{__NR_ptrace, "ptrace"},
    CallName{__NR_ftruncate, "ftruncate"},
    CallName{__NR_ioctl, "ioctl"},
    CallName{__NR_fcntl, "fcntl"},
};
const CallName* find_name(long number) {
    for (const CallName& call : kNames)
        if (call.number == number) return &call;
    return nullptr;
}

// Limits are only ever lowered.
void limit(int what, uint64_t value) {
    rlimit current{};
    getrlimit(static_cast<__rlimit_resource>(what), &current);
    if (current.rlim_max != RLIM_INFINITY) value = std::min<uint64_t>(value, current.rlim_max);
    const rlimit limited{value, value};
    setrlimit(static_cast<__rlimit_resource>(what), &limited);
}

uint64_t address_space() {
    uint64_t pages = 0;
    std::ifstream("/proc/self/statm") >> pages;
    return pages * static_cast<uint64_t>(sysconf(_SC_PAGESIZE));
}

// Descriptor of one of the kernel's own memory files ("/proc/self/fd/7", possibly with dots in it); -1 for other paths.
int memory_file(const std::string& path) {
    constexpr std::string_view kFolder = "/proc/self/fd";
    if (!path.starts_with(kFolder)) return -1;
    size_t at = kFolder.size();
    while (at < path.size() && (path[at] == '/' || path[at] == '.')) ++at;
    if (at == path.size() || path.size() - at > 6) return -1;
    int file = 0;
    for (; at < path.size(); ++at) {
        if (path[at] < '0' || path[at] > '9') return -1;
        file = file * 10 + (path[at] - '0');
    }
    return file;
}

// Opens it for reading if it is a file in memory made by memfd_create.
int open_memory_file(pid_t child, int file) {
    const std::string path = "/proc/" + std::to_string(child) + "/fd/" + std::to_string(file);
    std::array<char, 64> target{};
    const ssize_t n = readlink(path.c_str(), target.data(), target.size() - 1);
    if (n <= 0 || !std::string_view(target.data()).starts_with("/memfd:ptosim-kernel")) return -1;
    return open(path.c_str(), O_RDONLY | O_CLOEXEC);
}

}  // namespace

void apply(const Limits& limits) {
    limit(RLIMIT_CORE, 0);
    if (limits.memory_mib != 0) limit(RLIMIT_AS, address_space() + (limits.memory_mib << 20));
    if (limits.cpu_seconds != 0) limit(RLIMIT_CPU, limits.cpu_seconds);
    if (limits.file_mib != 0) limit(RLIMIT_FSIZE, limits.file_mib << 20);
    if (limits.file_bytes != 0) limit(RLIMIT_FSIZE, limits.file_bytes);
    if (limits.open_files != 0) limit(RLIMIT_NOFILE, limits.open_files);
}

int enter_sandbox(std::string& why) {
    std::vector<sock_filter> filter{
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, arch)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, kArchitecture, 1, 0),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
    };
    for (const long number : kAllowed) {
        filter.push_back(BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, static_cast<uint32_t>(number), 0, 1));
        filter.push_back(BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW));
    }
    // fstat() of the C library: on an open file, without a path.
    const sock_filter status[] = {
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, __NR_newfstatat, 0, 4),
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, args) + 3 * sizeof(uint64_t)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, AT_EMPTY_PATH, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
    };
    for (const sock_filter& step : status) filter.push_back(step);
    // abort() and raise() signal the process itself.
    const sock_filter self[] = {
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, __NR_tgkill, 0, 3),
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, args)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, static_cast<uint32_t>(getpid()), 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_USER_NOTIF),
    };
    for (const sock_filter& step : self) filter.push_back(step);
    sock_fprog program{static_cast<unsigned short>(filter.size()), filter.data()};
    long listener = -1;
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0)
        listener = syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_NEW_LISTENER,
                           &program);
    if (listener < 0) why = std::string("seccomp with notifications: ") + std::strerror(errno);
    return static_cast<int>(listener);
}

SandboxWatch::~SandboxWatch() { close(listener_); }

void SandboxWatch::note(const std::string& what) {
    constexpr size_t kMost = 16;
    for (Refused& refused : refused_)
        if (refused.what == what) {
            ++refused.count;
            return;
        }
    if (refused_.size() < kMost) refused_.push_back({what, 1});
}

std::string SandboxWatch::text_of_child(uint64_t address) const {
    std::array<char, 256> bytes{};
    const int memory =
        open(("/proc/" + std::to_string(child_) + "/mem").c_str(), O_RDONLY | O_CLOEXEC);
    if (memory < 0) return {};
    // The text may end before an unmapped page.
    size_t have = 0;
    while (have < bytes.size() - 1) {
        const size_t to_page = 4096 - (address + have) % 4096;
        const size_t want = std::min(bytes.size() - 1 - have, to_page);
        const ssize_t n =
            pread(memory, bytes.data() + have, want, static_cast<off_t>(address + have));
        if (n <= 0) break;
        have += static_cast<size_t>(n);
        if (std::memchr(bytes.data(), 0, have) != nullptr) break;
    }
    close(memory);
    return bytes.data();
}

// Opens a file that may be read; -1 if it may not. For a folder: files below it after following links.
int SandboxWatch::open_readable(const std::string& path) const {
    for (const std::string& allowed : readable_) {
        const bool folder = allowed.ends_with('/');
        if (folder ? !path.starts_with(allowed) : allowed != path) continue;
        if (!folder) return open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
        const int looked_at = open(path.c_str(), O_PATH | O_CLOEXEC);
        if (looked_at < 0) return -1;
        const std::string link = "/proc/self/fd/" + std::to_string(looked_at);
        std::error_code error;
        const std::string real = std::filesystem::read_symlink(link, error);
        const std::string root = std::filesystem::canonical(allowed, error).string();
        const bool below = real.starts_with(root.ends_with('/') ? root : root + '/');
        const int file = !error && below && std::filesystem::is_regular_file(link, error)
                             ? open(link.c_str(), O_RDONLY | O_CLOEXEC)
                             : -1;
        close(looked_at);
        if (file >= 0) return file;
    }
    return -1;
}

bool SandboxWatch::answer() {
    seccomp_notif request{};
    if (ioctl(listener_, SECCOMP_IOCTL_NOTIF_RECV, &request) != 0)
        return errno == EINTR || errno == ENOENT;
    const CallName* const call = find_name(request.data.nr);
    std::string path;
    if (call != nullptr && call->path >= 0) path = text_of_child(request.data.args[call->path]);
    // The loader loads a kernel from a memory file. This process opens the file itself, so that the opened file is the
    // one that was checked.
    if (request.data.nr == __NR_openat) {
        const int own = memory_file(path);
        const bool reads = (request.data.args[2] & (O_ACCMODE | O_CREAT | O_TRUNC)) == O_RDONLY;
        const int file = own >= 0 ? open_memory_file(child_, own)
                         : reads ? open_readable(path)
                                 : -1;
        if (file >= 0) {
            seccomp_notif_addfd add{};
            add.id = request.id;
            add.srcfd = static_cast<uint32_t>(file);
            add.flags = SECCOMP_ADDFD_FLAG_SEND;
            add.newfd_flags = O_CLOEXEC;
            ioctl(listener_, SECCOMP_IOCTL_NOTIF_ADDFD, &add);
            close(file);
            return true;
        }
    }
    note((call != nullptr ? std::string(call->name)
                          : "system call " + std::to_string(request.data.nr)) +
         (path.empty() ? "" : " " + path));
    seccomp_notif_resp response{};
    response.id = request.id;
    response.error = -EPERM;
    ioctl(listener_, SECCOMP_IOCTL_NOTIF_SEND, &response);
    return true;
}

}  // namespace ptosim::worker
