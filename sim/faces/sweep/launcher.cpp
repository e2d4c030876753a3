#include "sim/faces/sweep/launcher.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <system_error>
#include <vector>

#include "isa/core/diagnostic.h"
#include "sim/files/files.h"

extern char** environ;

namespace ptosim::sweep {
namespace {

namespace fs = std::filesystem;

std::string quoted(const std::string& word) {
    std::string result = "'";
    for (char c : word) result += c == '\'' ? std::string("'\\''") : std::string(1, c);
    return result + "'";
}

std::vector<std::string> worker_words(const SweepOptions& options, const std::string& program) {
    std::vector<std::string> words{program, "sweep", fs::absolute(options.plan).string(), "--out",
                                   fs::absolute(options.out).string()};
    words.insert(words.end(), {"--jobs", std::to_string(options.jobs > 0 ? options.jobs : 1)});
    return words;
}

// The command that starts all workers and waits for them.
std::vector<std::string> launch_words(const SweepOptions& options, const std::string& program,
                                      const std::string& folder) {
    const std::string count = std::to_string(options.workers);
    std::vector<std::string> words;
    if (options.launcher == "mpi") {
        words = {"mpirun", "-n", count, "--output-filename", folder + "/output"};
        words.insert(words.end(), options.launcher_options.begin(), options.launcher_options.end());
        for (const std::string& word : worker_words(options, program)) words.push_back(word);
        words.insert(words.end(), {"--shard", "mpi/" + count});
        return words;
    }
    std::string script = "#!/bin/sh\nexec";
    for (const std::string& word : worker_words(options, program)) script += " " + quoted(word);
    script += " --shard \"$SLURM_ARRAY_TASK_ID/" + count + "\"\n";
    write_file(folder + "/worker.sh", script);
    words = {"sbatch", "--wait", "--job-name=ptosim-sweep",
             "--array=0-" + std::to_string(options.workers - 1),
             "--output=" + folder + "/worker-%a.txt"};
    words.insert(words.end(), options.launcher_options.begin(), options.launcher_options.end());
    words.push_back(folder + "/worker.sh");
    return words;
}

}  // namespace

std::string launch_workers(const SweepOptions& options, const std::string& program) {
    const std::string folder = fs::absolute(options.out).string() + ".workers";
    make_folder(folder);
    const std::vector<std::string> words = launch_words(options, program, folder);
    std::vector<char*> arguments;
    for (const std::string& word : words) arguments.push_back(const_cast<char*>(word.c_str()));
    arguments.push_back(nullptr);
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    const std::string log = folder + "/launcher.txt";
    posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, log.c_str(),
                                     O_WRONLY | O_CREAT | O_APPEND, 0666);
    posix_spawn_file_actions_adddup2(&actions, STDOUT_FILENO, STDERR_FILENO);
    pid_t pid = 0;
    const int error =
        posix_spawnp(&pid, words[0].c_str(), &actions, nullptr, arguments.data(), environ);
    posix_spawn_file_actions_destroy(&actions);
    if (error != 0)
        fail_input("I54",
                   "cannot start " + words[0] + ": " +
                       std::error_code(error, std::generic_category()).message(),
                   options.launcher == "mpi" ? "Debian: apt-get install openmpi-bin"
                                             : "Debian: apt-get install slurm-client");
    int status = 0;
    while (waitpid(pid, &status, 0) < 0 && errno == EINTR) {
    }
    if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return "";
    return words[0] + " ended with " +
           (WIFEXITED(status) ? "exit code " + std::to_string(WEXITSTATUS(status))
                              : "signal " + std::to_string(WTERMSIG(status))) +
           " (" + log + ")";
}

}  // namespace ptosim::sweep
