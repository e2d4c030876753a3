#include "sim/faces/toolkit/mpirun.h"

#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <charconv>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <iostream>

#include "isa/core/diagnostic.h"
#include "sim/system/meeting.h"
#include "traces/write/chips_trace.h"

namespace ptosim::toolkit {
namespace {

using Clock = std::chrono::steady_clock;

constexpr const char* kHelp =
    "Usage: mpirun -n RANKS PROGRAM [WORDS]\n\nStarts a program as several ranks on this machine: each has PMI_RANK "
    "and PMI_SIZE in its environment, and\nlibmpi.so of this folder finds the others. When a rank fails before "
    "MPI_Finalize, the others are ended.\n\n  -n, -np RANKS            number of ranks, 1 to 64\n  -genv, -env NAME "
    "VALUE   set a variable for all ranks\n  --system NAME            simulate the chips on one clock, with the links "
    "of this system (PTOSIM_SYSTEM)\n  --allow-run-as-root      accepted\n  --version, --help\n";

struct Command {
    unsigned ranks = 0;
    std::vector<std::string> words;
};

unsigned ranks_of(const std::string& text) {
    unsigned count = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), count);
    if (error != std::errc() || end != text.data() + text.size() || count == 0 || count > MeetingPages::kMostRanks)
        fail_input("H04", "mpirun: '" + text + "' is not a number of ranks",
                   "1 to " + std::to_string(MeetingPages::kMostRanks));
    return count;
}

Command command_of(const std::vector<std::string>& words) {
    Command command;
    size_t at = 0;
    const auto value = [&](size_t count) {
        if (at + count >= words.size()) fail_input("H04", "mpirun: " + words[at] + " needs a value", kHelp);
        at += count;
        return words[at];
    };
    for (; at < words.size() && words[at].starts_with("-"); ++at) {
        const std::string& word = words[at];
        if (word == "-n" || word == "-np" || word == "--np") {
            command.ranks = ranks_of(value(1));
        } else if (word == "--system") {
            setenv("PTOSIM_SYSTEM", value(1).c_str(), 1);
        } else if (word == "-genv" || word == "-env") {
            const std::string text = value(2);
            setenv(words[at - 1].c_str(), text.c_str(), 1);
        } else if (word != "--allow-run-as-root") {
            fail_input("H04", "mpirun: " + word + " is not supported", "mpirun --help lists the options");
        }
    }
    command.words.assign(words.begin() + static_cast<ptrdiff_t>(at), words.end());
    if (command.words.empty()) fail_input("H04", "mpirun: the program is missing", "mpirun -n RANKS PROGRAM [WORDS]");
    for (const std::string& word : command.words)
        if (word == ":") fail_input("H04", "mpirun: one program only", "start all ranks with the same words");
    if (command.ranks == 0) command.ranks = 1;
    return command;
}

std::atomic<int> received{0};  // a signal for all ranks

[[noreturn]] void become_rank(const std::vector<std::string>& words, unsigned rank, pid_t parent) {
    prctl(PR_SET_PDEATHSIG, SIGTERM);
    if (getppid() != parent) _exit(1);
    setpgid(0, 0);
    setenv("PMI_RANK", std::to_string(rank).c_str(), 1);
    std::vector<char*> pointers;
    for (const std::string& word : words) pointers.push_back(const_cast<char*>(word.c_str()));
    pointers.push_back(nullptr);
    execvp(pointers[0], pointers.data());
    std::cerr << "error: mpirun: " << words[0] << " cannot be run: " << std::strerror(errno) << " [H04]" << std::endl;
    _exit(127);
}

class Ranks {
 public:
    Ranks(const Command& command, MeetingPages& pages) : pages_{pages} {
        const pid_t parent = getpid();
        for (unsigned rank = 0; rank < command.ranks; ++rank) {
            const pid_t process = fork();
            if (process == 0) become_rank(command.words, rank, parent);
            if (process > 0) setpgid(process, process);  // before it is sent a signal
            processes_.push_back(process);
        }
    }

    // Waits until all have ended.
    int wait() {
        int code = 0;
        for (size_t running = processes_.size(); running > 0;) {
            if (const int signal = received.exchange(0)) end_all(signal);
            int status = 0;
            const pid_t ended = waitpid(-1, &status, WNOHANG);
            if (ended <= 0) {
                if (ended < 0 && errno == ECHILD) break;
                if (ending_ && Clock::now() > end_) end_all(SIGKILL);
                usleep(5000);
                continue;
            }
            for (unsigned rank = 0; rank < processes_.size(); ++rank) {
                if (processes_[rank] != ended) continue;
                --running;
                processes_[rank] = -1;
                const int its = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
                if (its != 0) note_failure(rank, status);
                if (code == 0) code = its;
            }
        }
        return code;
    }

 private:
    void note_failure(unsigned rank, int status) {
        if (ending_ || pages_.seats[rank].state == MeetingPages::kLeft) return;
        std::cerr << "mpirun: rank " << rank << " has ended "
                  << (WIFEXITED(status) ? "with code " + std::to_string(WEXITSTATUS(status))
                                        : "by signal " + std::to_string(WTERMSIG(status)))
                  << "; the others are ended" << std::endl;
        // The other ranks may notice it and report their state.
        ending_ = true;
        end_ = Clock::now() + kGrace;
    }
    void end_all(int signal) {
        ending_ = true;
        end_ = Clock::now() + kGrace;
        for (const pid_t process : processes_)
            if (process > 0) kill(-process, signal);
    }

    static constexpr std::chrono::seconds kGrace{3};

    MeetingPages& pages_;
    std::vector<pid_t> processes_;
    bool ending_ = false;
    Clock::time_point end_;
};

}  // namespace

int run_mpirun(const std::vector<std::string>& words) {
    if (words.empty() || words[0] == "--help" || words[0] == "-h") {
        std::cout << kHelp;
        return 0;
    }
    if (words[0] == "--version") {
        std::cout << "mpirun of ptosim, for one machine\n";
        return 0;
    }
    const Command command = command_of(words);
    const SharedPages pages = SharedPages::make(sizeof(MeetingPages));
    if (pages.data() == nullptr) fail_input("H04", "mpirun: the system has no memory that processes share");
    setenv("PTOSIM_MPI", pages.path().c_str(), 1);
    setenv("PMI_SIZE", std::to_string(command.ranks).c_str(), 1);
    for (const int signal : {SIGINT, SIGTERM, SIGHUP})
        ::signal(signal, [](int number) { received = number; });
    const int code = Ranks(command, *reinterpret_cast<MeetingPages*>(pages.data())).wait();
    const char* const trace = std::getenv("PTOSIM_TRACE");
    if (trace != nullptr && *trace != 0 && std::getenv("PTOSIM_SYSTEM") != nullptr && command.ranks > 1)
        write_chips_trace(trace, command.ranks);
    return code;
}

}  // namespace ptosim::toolkit
