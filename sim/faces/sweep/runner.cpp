#include "sim/faces/sweep/runner.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <exception>
#include <filesystem>
#include <mutex>
#include <sstream>
#include <thread>

#include "isa/core/diagnostic.h"
#include "sim/files/files.h"
#include "sim/files/json.h"
#include "sim/files/sha256.h"
#include "sim/machine/model/installation.h"

extern char** environ;

namespace ptosim::sweep {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

// A folder that is removed with its object.
class Scratch {
 public:
    Scratch() {
        std::string pattern = (fs::temp_directory_path() / "ptosim-sweep-XXXXXX").string();
        if (mkdtemp(pattern.data()) == nullptr)
            fail_input("I02", "cannot create a folder in " + fs::temp_directory_path().string(),
                       "set TMPDIR to another folder");
        path_ = pattern;
    }
    ~Scratch() {
        std::error_code ignored;
        fs::remove_all(path_, ignored);
    }
    Scratch(const Scratch&) = delete;
    Scratch& operator=(const Scratch&) = delete;
    std::string file(const char* name) const { return path_ + "/" + name; }

 private:
    std::string path_;
};

// `variables` are added to the environment.
pid_t start(const std::vector<std::string>& words, const std::vector<std::string>& variables,
            const std::string& folder, const std::string& errors) {
    std::vector<char*> arguments, environment;
    for (const std::string& word : words) arguments.push_back(const_cast<char*>(word.c_str()));
    arguments.push_back(nullptr);
    for (const std::string& variable : variables) environment.push_back(const_cast<char*>(variable.c_str()));
    for (char** inherited = environ; *inherited != nullptr; ++inherited) {
        const std::string_view text(*inherited);
        const std::string_view name = text.substr(0, text.find('=') + 1);
        if (std::none_of(variables.begin(), variables.end(), [&](const std::string& own) { return own.starts_with(name); }))
            environment.push_back(*inherited);
    }
    environment.push_back(nullptr);
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addchdir_np(&actions, folder.c_str());
    posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
    posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, errors.c_str(),
                                     O_WRONLY | O_CREAT | O_TRUNC, 0600);
    // A terminal's interrupt must reach only the sweep, which ends its children itself.
    posix_spawnattr_t attributes;
    posix_spawnattr_init(&attributes);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP);
    posix_spawnattr_setpgroup(&attributes, 0);
    pid_t pid = 0;
    const int error = posix_spawnp(&pid, words[0].c_str(), &actions, &attributes, arguments.data(), environment.data());
    posix_spawnattr_destroy(&attributes);
    posix_spawn_file_actions_destroy(&actions);
    if (error != 0)
        fail_input("I53", "cannot start " + words[0] + ": " +
                              std::error_code(error, std::generic_category()).message());
    return pid;
}

enum class End { kExited, kTimeout, kStopped };

// Waits for the end of a process; ends it on time-out or stop.
End wait_for(pid_t pid, double timeout, const std::atomic<bool>& stop, int& status) {
    const int handle = static_cast<int>(syscall(SYS_pidfd_open, pid, 0));
    const auto begin = Clock::now();
    End end = End::kExited;
    while (true) {
        pollfd watched{handle, POLLIN, 0};
        if (handle < 0) std::this_thread::sleep_for(std::chrono::milliseconds(5));
        if (handle >= 0 && poll(&watched, 1, 100) < 0 && errno != EINTR) break;
        if (waitpid(pid, &status, WNOHANG) == pid) break;
        const double seconds = std::chrono::duration<double>(Clock::now() - begin).count();
        if (seconds <= timeout && !stop) continue;
        end = stop ? End::kStopped : End::kTimeout;
        kill(-pid, SIGKILL);
        waitpid(pid, &status, 0);
        break;
    }
    if (handle >= 0) close(handle);
    return end;
}

// The first line that mentions an error, or the first line.
std::string first_error(const std::string& text) {
    const size_t found = text.find("error");
    const size_t before = text.rfind('\n', found);
    const size_t begin = found == std::string::npos || before == std::string::npos ? 0 : before + 1;
    std::string line = text.substr(begin, text.find('\n', begin) - begin);
    if (line.starts_with("error: ")) line.erase(0, 7);
    return line;
}

// The warnings in the error output of a run, each once.
std::vector<std::string> warnings_in(const std::string& text) {
    std::vector<std::string> result;
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);)
        if (line.find("warning: ") != std::string::npos &&
            std::find(result.begin(), result.end(), line) == result.end())
            result.push_back(line);
    return result;
}

// Of each type of core: how many ran, and of each pipe the cycles for which it was busy on average and most, and for
// which it waited on average, by reason.
Json pipes_of(const Json& cores) {
    Json result = Json::object();
    for (const auto& core : cores) {
        if (core.value("active", 0.0) == 0) continue;
        Json& type = result[core.at("lane").get<std::string>().substr(0, 3)];
        if (type.is_null()) type = Json::object();
        type["cores"] = type.value("cores", 0) + 1;
        type["cycles"] = core.value("cycles", uint64_t{0});
        for (const auto& [name, figures] : core.at("pipes").items()) {
            Json& pipe = type["pipes"][name];
            if (pipe.is_null()) pipe = Json::object();
            const double busy = figures.value("busy", 0.0);
            pipe["mean"] = pipe.value("mean", 0.0) + busy;
            pipe["most"] = std::max(pipe.value("most", 0.0), busy);
            Json& waits = pipe["waits"];
            if (waits.is_null()) waits = Json::object();
            for (const auto& [reason, cycles] : figures.at("waits").items())
                waits[reason] = waits.value(reason, 0.0) + cycles.get<double>();
        }
    }
    for (Json& type : result) {
        const double cores = type["cores"].get<double>();
        for (Json& figures : type["pipes"]) {
            figures["mean"] = figures["mean"].get<double>() / cores;
            for (Json& cycles : figures["waits"]) cycles = cycles.get<double>() / cores;
        }
    }
    return result;
}

// The stored part of a result: the warnings, and everything except the cores, of which the busiest of each type and the
// figures of all pipes are kept.
Json summary_of(const Json& json, const std::string& errors) {
    Json kept;
    for (const auto& [key, value] : json.items())
        if (key != "cores" && key != "host") kept[key] = value;
    for (const auto& core : json.value("cores", Json::array())) {
        const std::string type = core.at("lane").get<std::string>().substr(0, 3);
        if (kept["busiest"].contains(type) &&
            kept["busiest"][type]["util"].get<double>() >= core["util"].get<double>())
            continue;
        kept["busiest"][type] = core;
    }
    kept["pipes"] = pipes_of(json.value("cores", Json::array()));
    if (const auto warnings = warnings_in(errors); !warnings.empty()) kept["warnings"] = warnings;
    return kept;
}

// The result of a run; of several chips that of the one that took longest.
Json result_in(const Scratch& scratch) {
    if (fs::exists(scratch.file("result.json"))) return parse_json(read_file(scratch.file("result.json")), {.sorts = true});
    Json slowest;
    for (unsigned chip = 0;; ++chip) {
        const std::string file = scratch.file(("result.chip" + std::to_string(chip) + ".json").c_str());
        if (!fs::exists(file)) break;
        Json one = parse_json(read_file(file), {.sorts = true});
        if (slowest.is_null() || one.value("cycles", uint64_t{0}) > slowest.value("cycles", uint64_t{0})) slowest = std::move(one);
    }
    if (slowest.is_null()) throw std::runtime_error("the program launched no kernel on a simulated chip");
    return slowest;
}

Result judge(int status, const Scratch& scratch, const std::string& errors) {
    Result result;
    result.status = "failed";
    if (WIFSIGNALED(status)) {
        result.message = "killed by signal " + std::to_string(WTERMSIG(status));
        return result;
    }
    if (WEXITSTATUS(status) != 0) {
        result.message = first_error(errors);
        if (result.message.empty())
            result.message = "exit code " + std::to_string(WEXITSTATUS(status));
        return result;
    }
    try {
        const Json json = result_in(scratch);
        result.status = "done";
        result.cycles = json.at("cycles").get<uint64_t>();
        result.time_us = json.at("time_us").get<double>();
        result.json = dump_json(summary_of(json, errors));
    } catch (const std::exception& error) {
        result.status = "failed";
        result.message = std::string("its result cannot be read: ") + error.what();
    }
    return result;
}

std::string host_name() {
    char name[256] = {};
    gethostname(name, sizeof name - 1);
    return name;
}

}  // namespace

Program this_program() {
    Program program;
    program.path = program_file();
    const std::string content = read_file(program.path);
    program.fingerprint = sha256(std::as_bytes(std::span(content.data(), content.size())));
    return program;
}

std::string command_text(const Job& job) {
    std::string text;
    for (const auto& [name, value] : job.environment) text += name + "='" + value + "' ";
    if (job.environment.empty()) text += "ptosim";
    for (const std::string& word : job.words) text += (text.empty() || text.back() == ' ' ? "" : " ") + word;
    return text;
}

Job job_of(const Plan& plan, const Point& point) {
    const PlanKernel& kernel = *point.kernel;
    const RunSettings& settings = plan.settings();
    if (!kernel.program.empty()) {
        std::string sets;
        for (const auto& [path, value] : point.sets) sets += (sets.empty() ? "" : ";") + path + "=" + value;
        Job job{point.key, point.arguments,
                {{"PTOSIM_CHIP", point.chip}, {"PTOSIM_SET", sets}, {"PTOSIM_MODE", settings.mode}, {"PTOSIM_NUMERICS", settings.numerics}}};
        if (!kernel.system.empty()) job.environment.emplace_back("PTOSIM_SYSTEM", kernel.system);
        if (settings.check != "none") job.environment.emplace_back("PTOSIM_CHECK", settings.check);
        if (settings.sample) job.environment.emplace_back("PTOSIM_SAMPLE", "1");
        return job;
    }
    Job job{point.key, {"run", kernel.file, "--chip", point.chip}, {}};
    const auto add = [&](std::initializer_list<std::string> words) {
        job.words.insert(job.words.end(), words);
    };
    for (const auto& [path, value] : point.sets) add({"--set", path + "=" + value});
    for (const auto& [name, value] : point.parameters)
        add({kernel.compiled ? "--define" : "--param", name + "=" + std::to_string(value)});
    if (!kernel.entry.empty()) add({"--entry", kernel.entry});
    if (point.blocks) add({"--blocks", std::to_string(*point.blocks)});
    for (const std::string& argument : point.arguments) add({"--arg", argument});
    add({"--mode", settings.mode, "--numerics", settings.numerics, "--check", settings.check,
         "--seed", std::to_string(settings.seed)});
    if (!settings.sync.empty()) add({"--sync", settings.sync});
    if (settings.sample) add({"--sample"});
    return job;
}

Result run_job(const Program& program, const Job& job, const std::string& folder, double timeout,
               const std::atomic<bool>& stop) {
    const Scratch scratch;
    std::vector<std::string> words = job.words, variables;
    if (job.environment.empty()) {
        words.insert(words.begin(), program.path);
        words.insert(words.end(), {"--json", scratch.file("result.json")});
    } else {
        for (const auto& [name, value] : job.environment) variables.push_back(name + "=" + value);
        variables.push_back("PTOSIM_JSON=" + scratch.file("result.json"));
        if (words[0] == "ptosim") words[0] = program.path;
    }
    const auto begin = Clock::now();
    const pid_t pid = start(words, variables, folder, scratch.file("errors"));
    int status = 0;
    const End end = wait_for(pid, timeout, stop, status);
    Result result;
    if (end == End::kExited) {
        result = judge(status, scratch, read_file(scratch.file("errors")));
    } else {
        result.status = end == End::kTimeout ? "failed" : "";
        result.message = "not done within " + std::to_string(static_cast<int64_t>(timeout)) + " s";
    }
    result.seconds = std::chrono::duration<double>(Clock::now() - begin).count();
    result.worker = host_name();
    return result;
}

void run_jobs(const Program& program, const std::vector<Job>& jobs, const std::string& folder,
              double timeout, unsigned width, const std::atomic<bool>& stop,
              const std::function<void(const Job&, const Result&)>& done) {
    std::atomic<size_t> next{0};
    std::atomic<bool> broken{false};
    std::mutex mutex;
    std::exception_ptr error;
    const auto work = [&] {
        try {
            while (!stop && !broken) {
                const size_t i = next++;
                if (i >= jobs.size()) return;
                const Result result = run_job(program, jobs[i], folder, timeout, stop);
                const std::lock_guard lock(mutex);
                if (!result.status.empty()) done(jobs[i], result);
            }
        } catch (...) {
            const std::lock_guard lock(mutex);
            if (!error) error = std::current_exception();
            broken = true;
        }
    };
    std::vector<std::thread> threads;
    for (unsigned i = 1; i < width && i < jobs.size(); ++i) threads.emplace_back(work);
    work();
    for (std::thread& thread : threads) thread.join();
    if (error) std::rethrow_exception(error);
}

}  // namespace ptosim::sweep
