#include "sim/session/forked_runs.h"

#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstring>

#include "sim/check/checkers.h"
#include "sim/files/json.h"
#include "sim/native/argument_search.h"
#include "sim/session/changed_kernel.h"
#include "sim/session/diagnostic_json.h"
#include "sim/session/mend_text.h"

namespace ptosim {
namespace {

constexpr size_t kMostAccesses = 400'000;  // limit of the log: some 100 MB

void write_all(int file, std::string_view bytes) {
    off_t at = 0;
    while (!bytes.empty()) {
        const ssize_t written = pwrite(file, bytes.data(), bytes.size(), at);
        if (written < 0 && errno == EINTR) continue;
        if (written <= 0) _exit(1);
        at += written;
        bytes.remove_prefix(static_cast<size_t>(written));
    }
}

std::string read_all(int file) {
    const off_t size = lseek(file, 0, SEEK_END);
    std::string bytes(static_cast<size_t>(std::max<off_t>(0, size)), '\0');
    size_t at = 0;
    while (at < bytes.size()) {
        const ssize_t got =
            pread(file, bytes.data() + at, bytes.size() - at, static_cast<off_t>(at));
        if (got < 0 && errno == EINTR) continue;
        if (got <= 0) break;
        at += static_cast<size_t>(got);
    }
    bytes.resize(at);
    return bytes;
}

template <class T>
bool receive(int socket, T& value) {
    ssize_t got = 0;
    do got = recv(socket, &value, sizeof(value), MSG_WAITALL);
    while (got < 0 && errno == EINTR);
    return got == static_cast<ssize_t>(sizeof(value));
}

template <class T>
bool send_value(int socket, const T& value) {
    return send(socket, &value, sizeof(value), MSG_NOSIGNAL) == static_cast<ssize_t>(sizeof(value));
}

int wait_for(pid_t child) {
    int status = 0;
    while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
    }
    return status;
}

}  // namespace

ForkedRuns::ForkedRuns(Chip& chip, const Kernel& kernel, KernelArguments arguments,
                       const LaunchOptions& options, const check::CheckOptions& checks,
                       Remake remake)
    : chip_{chip},
      kernel_{kernel},
      arguments_(arguments.begin(), arguments.end()),
      options_{options},
      checks_{checks},
      remake_{std::move(remake)} {
    options_.print = {};
    options_.threads = 1;
    for (const auto& [address, allocation] : chip.global().allocations()) {
        areas_.push_back({address, allocation.size});
        output_bytes_ += allocation.size;
    }
    void* const shared = mmap(nullptr, std::max<size_t>(1, output_bytes_), PROT_READ | PROT_WRITE,
                              MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (shared != MAP_FAILED) outputs_ = static_cast<std::byte*>(shared);
    question_ = memfd_create("ptosim-question", MFD_CLOEXEC);
    answer_ = memfd_create("ptosim-answer", MFD_CLOEXEC);
    log_ = memfd_create("ptosim-log", MFD_CLOEXEC);
    int ends[2] = {-1, -1};
    if (outputs_ != nullptr && question_ >= 0 && answer_ >= 0 && log_ >= 0 &&
        socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) == 0)
        keeper_ = fork();
    if (keeper_ == 0) {
        ::close(ends[0]);
        serve(ends[1]);
    }
    if (ends[1] >= 0) ::close(ends[1]);
    to_keeper_ = ends[0];
    if (keeper_ > 0) return;
    const std::string why = std::strerror(errno);
    close();
    fail_input("I03", "no memory for a second process, which other schedules need: " + why,
               "run without schedules, or smaller arrays");
}

ForkedRuns::~ForkedRuns() { close(); }

void ForkedRuns::close() {
    for (const int file : {to_keeper_, question_, answer_, log_})
        if (file >= 0) ::close(file);
    if (keeper_ > 0) wait_for(keeper_);
    if (outputs_ != nullptr) munmap(outputs_, std::max<size_t>(1, output_bytes_));
}

// The process that keeps the device, and never runs it. It ends with the process that has made it.
void ForkedRuns::serve(int from) {
    chip_.detach_all();
    for (Request request; receive(from, request);) {
        const pid_t child = fork();
        if (child == 0 && request.kind == Kind::kExplore) explore_once(request);
        if (child == 0 && request.kind == Kind::kSearch) search_once(request);
        if (child == 0 && request.kind == Kind::kMend) mend_once(request);
        if (child == 0 && request.kind == Kind::kTrial) trial_once(request);
        if (child == 0) run_once(request);
        const bool done = child > 0 && wait_for(child) == 0;
        if (!send_value(from, done)) break;
    }
    _exit(0);
}

void ForkedRuns::run_once(const Request& request) {
    std::signal(SIGALRM, SIG_DFL);
    alarm(request.seconds);
    Schedule schedule(request.seed, request.number);
    options_.schedule = &schedule;
    check::AccessLog log(
        [this](CoreId core, Space space, uint64_t at) { return chip_.byte_of(core, space, at); },
        kMostAccesses);
    if (request.log) chip_.attach(&log);
    try {
        const LaunchResult result = chip_.launch(kernel_, arguments_, options_);
        if (ftruncate(answer_, 0) != 0 || ftruncate(log_, 0) != 0) _exit(1);
        write_all(answer_, pack(result.diagnostics, result.finished));
        if (request.log && log.complete()) write_all(log_, log.record().pack());
    } catch (...) {
        _exit(1);
    }
    std::byte* to = outputs_;
    for (const Area& area : areas_) {
        std::memcpy(to, GlobalMemory::host(area.address), area.size);
        to += area.size;
    }
    _exit(0);
}

void ForkedRuns::explore_once(const Request& request) {
    std::signal(SIGALRM, SIG_DFL);
    alarm(request.seconds);
    options_.limits.instructions = request.most_instructions;
    try {
        const assembly::PathChoice choice = unpack_path_choice(read_all(question_));
        const PathRun run = run_path(chip_, kernel_, choice, options_, checks_);
        if (ftruncate(answer_, 0) != 0) _exit(1);
        write_all(answer_, pack(run));
    } catch (...) {
        _exit(1);
    }
    _exit(0);
}

void ForkedRuns::search_once(const Request& request) {
    std::signal(SIGALRM, SIG_DFL);
    alarm(request.seconds);
    try {
        DryLaunch launch = dry_launch(chip_);
        launch.blocks = request.blocks;
        const auto found = ptosim::search_arguments(kernel_, arguments_, launch, request.number);
        if (ftruncate(answer_, 0) != 0) _exit(1);
        write_all(answer_, dump_json(Json(found)));
    } catch (...) {
        _exit(1);
    }
    _exit(0);
}

void ForkedRuns::mend_once(const Request& request) {
    std::signal(SIGALRM, SIG_DFL);
    alarm(request.seconds);
    options_.limits.instructions = request.most_instructions;
    options_.choices = false;
    try {
        const check::Mend mend = unpack_mend(read_all(question_));
        std::unique_ptr<Kernel> changed;
        if (remake_)
            changed = remake_(lines_of(mend, kernel_.sources()));
        else
            changed = std::make_unique<ChangedKernel>(kernel_, mend.steps);
        check::Checkers checkers(checks_, chip_.global(), [](const Diagnostic&) {});
        chip_.attach(&checkers);
        const LaunchResult result = chip_.launch(*changed, arguments_, options_);
        std::vector<Diagnostic> findings = result.diagnostics;
        findings.insert(findings.end(), checkers.findings().begin(), checkers.findings().end());
        if (ftruncate(answer_, 0) != 0) _exit(1);
        write_all(answer_, pack(findings, result.finished));
    } catch (...) {
        _exit(1);
    }
    _exit(0);
}

void ForkedRuns::trial_once(const Request& request) {
    std::signal(SIGALRM, SIG_DFL);
    alarm(request.seconds);
    try {
        const Trial trial = unpack_trial(read_all(question_));
        if (trial.blocks != 0) options_.blocks = trial.blocks;
        options_.mode = RunMode::kTiming;
        options_.limits.instructions = request.most_instructions;
        const TrialKernel changed(kernel_, trial.steps);
        check::CheckOptions checks;
        const bool checked = trial.check != Trial::Check::kNone;
        if (checked) checks.choose("race");
        check::Checkers checkers(checks, chip_.global(), [](const Diagnostic&) {});
        if (checked) chip_.attach(&checkers);
        const LaunchResult result =
            chip_.launch(trial.steps.empty() ? kernel_ : changed, arguments_, options_);
        const bool right = std::all_of(
            checkers.findings().begin(), checkers.findings().end(), [&](const Diagnostic& d) {
                return trial.check == Trial::Check::kOnChip && d.code == "G04";
            });
        if (!result.finished || !result.diagnostics.empty() || !right || ftruncate(answer_, 0) != 0)
            _exit(1);
        write_all(answer_, {reinterpret_cast<const char*>(&result.cycles), sizeof(result.cycles)});
    } catch (...) {
        _exit(1);
    }
    _exit(0);
}

bool ForkedRuns::ask(const Request& request) {
    bool done = false;
    return send_value(to_keeper_, request) && receive(to_keeper_, done) && done;
}

std::optional<ForkedRuns::Outcome> ForkedRuns::run(uint64_t seed, unsigned number,
                                                   unsigned seconds) {
    if (!ask({.number = number, .seed = seed, .seconds = seconds})) return {};
    Outcome outcome;
    outcome.findings = unpack_diagnostics(read_all(answer_), outcome.finished);
    return outcome;
}

std::optional<check::AccessRecord> ForkedRuns::log(uint64_t seed, unsigned number,
                                                   unsigned seconds) {
    if (!ask({.log = true, .number = number, .seed = seed, .seconds = seconds})) return {};
    const std::string bytes = read_all(log_);
    if (bytes.empty()) return {};
    return check::AccessRecord::unpack(bytes);
}

std::optional<PathRun> ForkedRuns::explore(const assembly::PathChoice& choice,
                                           uint64_t most_instructions, unsigned seconds) {
    if (ftruncate(question_, 0) != 0) return {};
    write_all(question_, pack(choice));
    if (!ask({.kind = Kind::kExplore, .seconds = seconds, .most_instructions = most_instructions}))
        return {};
    return unpack_path_run(read_all(answer_));
}

std::optional<check::TriedMend> ForkedRuns::attempt(const check::Mend& mend,
                                                    uint64_t most_instructions, unsigned seconds) {
    check::TriedMend tried;
    tried.lines = lines_of(mend, kernel_.sources());
    if (tried.lines.empty() || ftruncate(question_, 0) != 0) return {};
    write_all(question_, pack(mend));
    if (!ask({.kind = Kind::kMend, .seconds = seconds, .most_instructions = most_instructions}))
        return {};
    tried.findings = unpack_diagnostics(read_all(answer_), tried.finished);
    return tried;
}

std::vector<std::vector<uint64_t>> ForkedRuns::search_arguments(uint32_t blocks, unsigned most,
                                                                unsigned seconds) {
    if (!ask({.kind = Kind::kSearch, .number = most, .seconds = seconds, .blocks = blocks}))
        return {};
    return parse_json(read_all(answer_)).get<std::vector<std::vector<uint64_t>>>();
}

std::optional<Cycle> ForkedRuns::time_with(const Trial& trial, uint64_t most, unsigned seconds) {
    if (ftruncate(question_, 0) != 0) return {};
    write_all(question_, pack(trial));
    if (!ask({.kind = Kind::kTrial, .seconds = seconds, .most_instructions = most})) return {};
    Cycle cycles = 0;
    const std::string bytes = read_all(answer_);
    if (bytes.size() < sizeof(cycles)) return {};
    std::memcpy(&cycles, bytes.data(), sizeof(cycles));
    return cycles;
}

std::optional<uint64_t> ForkedRuns::first_difference() const {
    const std::byte* theirs = outputs_;
    for (const Area& area : areas_) {
        const std::byte* const mine = GlobalMemory::host(area.address);
        if (std::memcmp(mine, theirs, area.size) != 0)
            return area.address + static_cast<uint64_t>(
                                      std::mismatch(mine, mine + area.size, theirs).first - mine);
        theirs += area.size;
    }
    return {};
}

}  // namespace ptosim
