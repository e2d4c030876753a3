#include "sim/faces/cli/process_tree.h"

#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <iostream>
#include <iterator>

#include "isa/core/diagnostic.h"
#include "sim/check/findings_output.h"
#include "sim/session/documents.h"
#include "sim/session/findings_folder.h"

namespace ptosim::cli {
namespace {

namespace fs = std::filesystem;

constexpr const char* kFolderVariable = "PTOSIM_FINDINGS";
constexpr int kForwarded[] = {SIGINT, SIGQUIT, SIGTERM, SIGHUP, SIGUSR1, SIGUSR2};

std::atomic<pid_t> command = 0;
static_assert(std::atomic<pid_t>::is_always_lock_free);

// The terminal sends its signals to the whole group, so only signals of other processes are forwarded.
void forward(int signal, siginfo_t* info, void*) {
    const int error = errno;
    if (info->si_code <= 0) kill(command, signal);
    errno = error;
}

// A folder for the findings of a tree. For an exec inside another one it lies in that one's folder, which reads it,
// too.
class Folder {
 public:
    Folder() {
        const char* const outer = std::getenv(kFolderVariable);
        is_inner_ = outer != nullptr && fs::is_directory(outer);
        std::error_code error;
        const fs::path above = is_inner_ ? fs::path(outer) : fs::temp_directory_path(error);
        path_ = (above / "ptosim-findings-XXXXXX").string();
        if (error || mkdtemp(path_.data()) == nullptr)
            fail_input("I02", path_ + ": cannot be created: " + std::strerror(errno),
                       "the findings of the command's processes are collected there, below TMPDIR or /tmp");
        setenv(kFolderVariable, path_.c_str(), 1);
    }
    ~Folder() {
        std::error_code error;
        if (!is_inner_) fs::remove_all(path_, error);
    }
    Folder(const Folder&) = delete;
    Folder& operator=(const Folder&) = delete;

    const std::string& path() const { return path_; }

 private:
    bool is_inner_ = false;
    std::string path_;
};

// In the child: restores the earlier signals.
[[noreturn]] void begin(const std::vector<std::string>& words, const char* hint,
                        const sigset_t& signals, pid_t parent) {
    // A kill of this process is meant for the command.
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent) _exit(kInputUnusable);
    sigprocmask(SIG_SETMASK, &signals, nullptr);
    try {
        become(words, hint);
    } catch (const DiagnosticError& failure) {
        for (const Diagnostic& d : failure.diagnostics()) std::cerr << to_text(d);
    }
    _exit(kInputUnusable);
}

// Returns the status of waitpid().
int run_child(const std::vector<std::string>& words, const char* hint) {
    sigset_t forwarded, before;
    sigemptyset(&forwarded);
    for (const int signal : kForwarded) sigaddset(&forwarded, signal);
    sigprocmask(SIG_BLOCK, &forwarded, &before);
    std::cout.flush();
    const pid_t parent = getpid();
    const pid_t child = fork();
    if (child < 0)
        fail_input("I02", words[0] + " cannot be run: " + std::strerror(errno), hint);
    if (child == 0) begin(words, hint, before, parent);
    command = child;
    for (const int signal : kForwarded) {
        struct sigaction action {};
        sigaction(signal, nullptr, &action);
        if (action.sa_handler == SIG_IGN) continue;
        action.sa_sigaction = &forward;
        action.sa_flags = SA_SIGINFO | SA_RESTART;
        sigaction(signal, &action, nullptr);
    }
    sigprocmask(SIG_SETMASK, &before, nullptr);
    int status = 0;
    while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
    }
    return status;
}

// Findings without a location are shown at the program's first line.
std::string program_of(const std::vector<std::string>& words) {
    const auto found = std::find_if(words.begin() + 1, words.end(), [](const std::string& word) {
        std::error_code error;
        return fs::is_regular_file(word, error);
    });
    return found == words.end() ? "" : *found;
}

}  // namespace

void become(const std::vector<std::string>& words, const char* hint) {
    std::vector<char*> arguments;
    for (const std::string& word : words) arguments.push_back(const_cast<char*>(word.c_str()));
    arguments.push_back(nullptr);
    std::cout.flush();
    execvp(arguments[0], arguments.data());
    fail_input("I02", words[0] + " cannot be run: " + std::strerror(errno), hint);
}

int run_tree(const std::vector<std::string>& words, const std::string& report, const char* hint) {
    int status = 0;
    std::vector<Diagnostic> findings;
    {
        const Folder folder;
        status = run_child(words, hint);
        findings = read_findings(folder.path());
    }
    if (!report.empty())
        check::write_findings(findings, check::format_of(report), report, std::cout,
                              program_of(words));
    if (WIFSIGNALED(status)) {
        const rlimit no_core{0, 0};  // the command has left its own core dump
        setrlimit(RLIMIT_CORE, &no_core);
        signal(WTERMSIG(status), SIG_DFL);
        raise(WTERMSIG(status));
        return 128 + WTERMSIG(status);
    }
    if (WEXITSTATUS(status) != 0 || findings.empty()) return WEXITSTATUS(status);
    std::cerr << "error: " << words[0] << " exited with 0, but its processes reported "
              << check::count_text(findings, 0) << "\n";
    return kKernelWrong;
}

}  // namespace ptosim::cli
