#include "sim/faces/toolkit/recorded_program.h"

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <iostream>
#include <random>
#include <thread>

#include "isa/core/diagnostic.h"
#include "sim/files/files.h"

namespace ptosim::toolkit {
namespace {

using Clock = std::chrono::steady_clock;

// Time between SIGTERM and SIGKILL.
constexpr std::chrono::seconds kGrace{5};

// True if it has ended; then sets `result` to its exit status as a shell gives it.
bool has_ended(pid_t program, int& result, int options) {
    int status = 0;
    pid_t ended = 0;
    do ended = waitpid(program, &status, options);
    while (ended < 0 && errno == EINTR);
    if (ended < 0)
        fail_input("H04", std::string("cannot wait for the program: ") + std::strerror(errno));
    if (ended == 0) return false;
    result = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    return true;
}

bool ends_before(Clock::time_point end, pid_t program, int& result) {
    do {
        if (has_ended(program, result, WNOHANG)) return true;
        std::this_thread::sleep_for(std::chrono::milliseconds(20));
    } while (Clock::now() < end);
    return false;
}

// A program with a time limit leads a process group, so that its children end with it. Signals that a terminal or a
// script sends to msprof in the meantime are forwarded.
class PassedOn {
 public:
    explicit PassedOn(pid_t group) {
        group_ = group;
        for (size_t i = 0; i < kSignals.size(); ++i) {
            before_[i] = ::signal(kSignals[i], &pass_on);
            if (before_[i] == SIG_IGN) ::signal(kSignals[i], SIG_IGN);
        }
    }
    ~PassedOn() {
        for (size_t i = 0; i < kSignals.size(); ++i) ::signal(kSignals[i], before_[i]);
    }
    PassedOn(const PassedOn&) = delete;
    PassedOn& operator=(const PassedOn&) = delete;

 private:
    static constexpr std::array kSignals = {SIGINT, SIGTERM, SIGHUP, SIGQUIT};
    static inline std::atomic<pid_t> group_ = 0;

    static void pass_on(int signal) {
        const int error = errno;
        kill(-group_, signal);
        errno = error;
    }

    std::array<sighandler_t, kSignals.size()> before_{};
};

// Waits for the program. Ends it and its children when its time is over.
int wait_for(pid_t program, unsigned minutes) {
    int result = 0;
    if (minutes == 0) {
        has_ended(program, result, 0);
        return result;
    }
    setpgid(program, program);  // in both processes, because either may be first
    const PassedOn signals(program);
    if (ends_before(Clock::now() + std::chrono::minutes(minutes), program, result)) return result;
    std::cerr << "the program was ended after " << minutes << " minutes\n";
    kill(-program, SIGTERM);
    const bool ended = ends_before(Clock::now() + kGrace, program, result);
    kill(-program, SIGKILL);  // also ends remaining children
    if (!ended) has_ended(program, result, 0);
    return result;
}

}  // namespace

std::filesystem::path make_run_folder(const std::string& prefix, const std::string& output) {
    const std::time_t now = std::time(nullptr);
    char time[32];
    std::strftime(time, sizeof time, "%Y%m%d%H%M%S", std::localtime(&now));
    std::string name = prefix + "_" + time + "_";
    std::random_device random;
    for (int i = 0; i < 16; ++i) name += static_cast<char>('A' + random() % 26);
    const std::filesystem::path folder = std::filesystem::absolute(output) / name;
    make_folder(folder.string());
    return folder;
}

int run_recorded(const RecordedProgram& recorded) {
    std::vector<char*> words;
    for (const std::string& word : recorded.command)
        words.push_back(const_cast<char*>(word.c_str()));
    words.push_back(nullptr);
    std::cout.flush();
    const pid_t program = fork();
    if (program < 0)
        fail_input("H04", recorded.tool + ": cannot start a process for the program: " +
                              std::strerror(errno));
    if (program == 0) {
        if (recorded.minutes != 0) setpgid(0, 0);
        setenv("PTOSIM_TRACE", recorded.recording.c_str(), 1);
        setenv("PTOSIM_TRACE_FORMATS", "none", 1);
        if (!recorded.chip.empty()) setenv("PTOSIM_CHIP", recorded.chip.c_str(), 1);
        execvp(words[0], words.data());
        std::cerr << recorded.tool << ": " << words[0] << ": " << std::strerror(errno) << "\n";
        _exit(127);
    }
    return wait_for(program, recorded.minutes);
}

}  // namespace ptosim::toolkit
