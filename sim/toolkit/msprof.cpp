#include "sim/toolkit/msprof.h"

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <filesystem>
#include <iostream>
#include <map>
#include <random>
#include <thread>

#include "isa/core/diagnostic.h"
#include "sim/files/files.h"
#include "sim/toolkit/kernel_tables.h"
#include "sim/toolkit/msprof_options.h"
#include "traces/record/recording_file.h"
#include "traces/write/insight.h"

namespace ptosim::toolkit {
namespace {

namespace fs = std::filesystem;

// OPPROF_<date and time>_<letters>: each run has a folder of its own.
fs::path make_result_folder(const std::string& output) {
    const std::time_t now = std::time(nullptr);
    char time[32];
    std::strftime(time, sizeof time, "%Y%m%d%H%M%S", std::localtime(&now));
    std::string name = std::string("OPPROF_") + time + "_";
    std::random_device random;
    for (int i = 0; i < 16; ++i) name += static_cast<char>('A' + random() % 26);
    const fs::path folder = fs::absolute(output) / name;
    make_folder(folder.string());
    return folder;
}

using Clock = std::chrono::steady_clock;

// What the program gets to end itself in.
constexpr std::chrono::seconds kGrace{5};

// Whether it has ended; its status, as a shell has it, is then set.
bool has_ended(pid_t program, int& result, int options) {
    int status = 0;
    pid_t ended = 0;
    do ended = waitpid(program, &status, options);
    while (ended < 0 && errno == EINTR);
    if (ended < 0)
        fail_input("H04", std::string("msprof: cannot wait for the program: ") + std::strerror(errno));
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

// A program with a time limit leads a process group, for its children to end with it: what a
// terminal or a script sends to msprof meanwhile is passed on.
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

// Waits for the program; ends it, and its children, when its time is over.
int wait_for(pid_t program, unsigned minutes) {
    int result = 0;
    if (minutes == 0) {
        has_ended(program, result, 0);
        return result;
    }
    setpgid(program, program);  // here and there: whoever comes first
    const PassedOn signals(program);
    if (ends_before(Clock::now() + std::chrono::minutes(minutes), program, result)) return result;
    std::cerr << "msprof: the program was ended after " << minutes << " minutes\n";
    kill(-program, SIGTERM);
    const bool ended = ends_before(Clock::now() + kGrace, program, result);
    kill(-program, SIGKILL);  // also of children that are left
    if (!ended) has_ended(program, result, 0);
    return result;
}

int run_recorded(const MsprofOptions& options, const fs::path& dump) {
    std::vector<char*> words;
    for (const std::string& word : options.command)
        words.push_back(const_cast<char*>(word.c_str()));
    words.push_back(nullptr);
    std::cout.flush();
    const pid_t program = fork();
    if (program < 0)
        fail_input("H04", std::string("msprof: the program's process cannot be made: ") +
                              std::strerror(errno));
    if (program == 0) {
        if (options.minutes != 0) setpgid(0, 0);
        setenv("PTOSIM_TRACE", dump.c_str(), 1);
        setenv("PTOSIM_TRACE_FORMATS", "none", 1);
        if (!options.chip.empty()) setenv("PTOSIM_CHIP", options.chip.c_str(), 1);
        execvp(words[0], words.data());
        std::cerr << "msprof: " << words[0] << ": " << std::strerror(errno) << "\n";
        _exit(127);
    }
    return wait_for(program, options.minutes);
}

// The numbers of the launches that were chosen.
std::vector<size_t> chosen_launches(const Recording& recording, const MsprofOptions& options) {
    std::vector<size_t> chosen;
    std::string names;
    for (size_t i = 0; i < recording.launches.size(); ++i) {
        const std::string& kernel = recording.launches[i].kernel;
        if (names.find(kernel) == names.npos) names += (names.empty() ? "" : ", ") + kernel;
        const bool wanted =
            options.kernels.empty() ||
            std::any_of(options.kernels.begin(), options.kernels.end(),
                        [&](const std::string& pattern) { return names_kernel(pattern, kernel); });
        if (wanted && chosen.size() < options.launches) chosen.push_back(i);
    }
    if (chosen.empty())
        fail_input("H04", "msprof: no launch of a kernel that --kernel-name names",
                   names.empty() ? "the program has launched none" : "it has launched: " + names);
    return chosen;
}

// One launch: the folder itself; several: FOLDER/KERNEL/NUMBER.
void write_results(const Recording& recording, const MsprofOptions& options,
                   const fs::path& folder) {
    const std::vector<size_t> chosen = chosen_launches(recording, options);
    std::map<std::string, unsigned> numbers;
    for (const size_t launch : chosen) {
        const std::string& kernel = recording.launches[launch].kernel;
        fs::path to = folder;
        if (chosen.size() > 1) to = to / kernel / std::to_string(numbers[kernel]++);
        make_folder(to.string());
        std::cout << "[INFO] Start profiling on kernel: " << kernel << "\n";
        const Recording part = part_of(recording, launch);
        write_insight(part, to / "simulator");
        if (!options.simulator) write_kernel_tables(part, options.chip, to);
    }
}

}  // namespace

int run_msprof(const std::vector<std::string>& words) {
    const MsprofOptions options = parse_msprof(words);
    if (options.help) {
        std::cout << "Usage: msprof op [simulator] [OPTIONS] PROGRAM WORDS\n\n"
                     "Profiles the kernels that a program launches on the simulated chip.\n\n"
                  << msprof_options_markdown();
        return 0;
    }
    if (!options.exported.empty()) {
        const Recording recording = read_recording(options.exported);
        write_results(recording, options, make_result_folder(options.output));
        std::cout << "[INFO] Profiling running finished. All task success.\n";
        return 0;
    }
    const fs::path folder = make_result_folder(options.output);
    const fs::path dump = folder / "dump";
    const int status = run_recorded(options, dump);
    if (!fs::exists(dump / kRecordingName)) {
        if (status != 0) return status;
        fail_input("H04", "msprof: '" + options.command[0] + "' has launched no kernel",
                   "it must be built with this toolkit");
    }
    write_results(read_recording(dump), options, folder);
    std::cout << "[INFO] Profiling results saved in " << folder.string() << "\n";
    if (status == 0) std::cout << "[INFO] Profiling running finished. All task success.\n";
    return status;
}

}  // namespace ptosim::toolkit
