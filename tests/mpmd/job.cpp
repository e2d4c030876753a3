// A host that gives runs to several chips, each a process that it forks. A run has one task, on the first AIV.
//
//   job KERNEL.so CHIPS PLAN...
//
// A step of the plan is a run of each chip that it names: "ring" waits for the chip before, after it has sent to the
// next; "cycle" waits before it sends, on all chips; "after N" is chip N alone, after all runs so far; "kill N" kills
// chip N before it begins its run of a ring; "silent N" lets it not send. Each chip prints, for each run, its begin
// on the common clock in nanoseconds, and the first element of what it has received. With JOB_SMALLER=N, chip N makes
// smaller windows. With JOB_NODES, each chip belongs to a node, a process that the host gives tasks to; every second node
// finds the job by its path; all do so with JOB_OTHER=SYSTEM, as nodes of another system.
#include <dlfcn.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <thread>
#include <vector>

#include "ptosim/mpmd.h"

namespace {

constexpr uint64_t kHeader = 4096, kWindow = 2112;  // windows of 33 lines: they do not begin at pages

struct Chip {
    int to = -1, from = -1;
    pid_t process = 0;
};

struct Run {
    int64_t expected, waits_first, sends;
};

struct Task {
    void (*kernel)(int64_t*) = nullptr;
    int64_t arguments[5] = {};
    uint64_t begin = 0;
};

void execute(void* task) {
    Task* const own = static_cast<Task*>(task);
    if (own == nullptr) return;
    own->begin = ptosim_mpmd_nanoseconds();
    own->kernel(own->arguments);
}

int do_nothing(void*) { return 0; }

struct Program {
    const char* kernel = nullptr;
    uint32_t chips = 0;
    bool has_nodes = false;
    std::vector<int> files;  // of windows: one, or that of each node's chip
};

// Windows of all chips, as chip `number` addresses them.
std::vector<uint64_t> windows_of(const Program& program, uint32_t number) {
    std::vector<uint64_t> windows;
    if (program.has_nodes) {
        for (const int file : program.files)
            windows.push_back(reinterpret_cast<uint64_t>(ptosim_mpmd_map(kWindow, file)));
        if (ptosim_mpmd_offer_window(windows[number], kWindow) != 0) std::exit(2);
        for (uint32_t i = 0; i < program.chips; ++i)
            if (i != number && ptosim_mpmd_import_window(windows[i], kWindow) != 0) std::exit(2);
        return windows;
    }
    const auto base =
        reinterpret_cast<uint64_t>(ptosim_mpmd_map(kHeader + program.chips * kWindow, program.files.front()));
    std::vector<uint32_t> numbers;
    for (uint32_t i = 0; i < program.chips; ++i)
        windows.push_back(base + kHeader + i * kWindow), numbers.push_back(i);
    const char* const smaller = std::getenv("JOB_SMALLER");
    const uint64_t bytes = smaller != nullptr && std::to_string(number) == smaller ? kWindow - 64 : kWindow;
    if (ptosim_mpmd_windows(windows.data(), numbers.data(), program.chips, bytes) != 0) std::exit(2);
    return windows;
}

[[noreturn]] void be_chip(const Program& program, uint32_t number, int in, int out) {
    setenv("PTOSIM_CHIP_NUMBER", std::to_string(number).c_str(), 1);
    if (const char* const trace = std::getenv("PTOSIM_TRACE"))
        setenv("PTOSIM_TRACE", (trace + ("/chip" + std::to_string(number))).c_str(), 1);
    ptosim_mpmd_job_become(program.has_nodes ? 0 : number);
    ptosim_mpmd_open("a2a3");
    void* const library = dlopen(program.kernel, RTLD_NOW | RTLD_LOCAL);
    if (library == nullptr) std::exit(2);
    const std::vector<uint64_t> windows = windows_of(program, number);
    auto* const own = reinterpret_cast<float*>(windows[number]);
    own[256] = static_cast<float>(100 + number);
    bool good = true;
    for (Run run; read(in, &run, sizeof run) == sizeof run;) {
        Task task;
        task.kernel = reinterpret_cast<void (*)(int64_t*)>(dlsym(library, "kernel_entry"));
        const int64_t arguments[] = {static_cast<int64_t>(windows[number]),
                                     static_cast<int64_t>(windows[(number + 1) % program.chips]), run.expected, run.waits_first,
                                     run.sends};
        std::memcpy(task.arguments, arguments, sizeof arguments);
        const ptosim_mpmd_size size{1, 3};
        int result = -1;
        std::vector<std::thread> threads;
        threads.emplace_back([&] { ptosim_mpmd_run_core(size, PTOSIM_AIC, 0, &execute, nullptr); });
        threads.emplace_back([&] { ptosim_mpmd_run_core(size, PTOSIM_AIV, 0, &execute, &task); });
        threads.emplace_back([&] { ptosim_mpmd_run_core(size, PTOSIM_AIV, 1, &execute, nullptr); });
        threads.emplace_back([&] { result = ptosim_mpmd_run_processor(size, &do_nothing, nullptr); });
        for (std::thread& thread : threads) thread.join();
        std::printf("chip %u: result %d, begin %llu ns, end %llu ns, received %g\n", number, result,
                    static_cast<unsigned long long>(task.begin),
                    static_cast<unsigned long long>(ptosim_mpmd_nanoseconds()), static_cast<double>(own[0]));
        std::fflush(stdout);
        good = good && result == 0;
        if (write(out, "d", 1) != 1) break;
    }
    std::exit(good ? 0 : 1);
}

// A child's process, which reads runs from one pipe and answers each on the other.
template <class Be>
Chip start(const std::vector<Chip>& others, const Be& be) {
    int there[2], back[2];
    if (pipe2(there, O_CLOEXEC) != 0 || pipe2(back, O_CLOEXEC) != 0) std::exit(2);
    const Chip child{there[1], back[0], fork()};
    if (child.process == 0) {
        for (const Chip& other : others) close(other.to), close(other.from);
        close(there[1]), close(back[0]);
        be(there[0], back[1]);
    }
    close(there[0]), close(back[1]);
    return child;
}

[[noreturn]] void be_node(const Program& program, uint32_t number, int in, int out) {
    const char* const other = std::getenv("JOB_OTHER");
    const bool by_path = number % 2 != 0 || other != nullptr;
    if (other != nullptr) setenv("PTOSIM_SYSTEM", other, 1);
    if (ptosim_mpmd_job_become_node(by_path ? ptosim_mpmd_job_path() : nullptr, program.chips, number) != 0) std::exit(2);
    const Chip chip = start({}, [&](int from, int to) {
        close(in), close(out);
        be_chip(program, number, from, to);
    });
    for (Run run; read(in, &run, sizeof run) == sizeof run;) {
        ptosim_mpmd_job_begin_task();
        ptosim_mpmd_job_orchestrate();
        const uint32_t first = 0, none = 0;
        ptosim_mpmd_job_submit(&first, 1, &none, 0);
        static uint32_t runs = 0;
        char done = 0;
        if (write(chip.to, &run, sizeof run) != sizeof run) break;
        ++runs;
        ptosim_mpmd_job_begin_wait(&runs);
        if (read(chip.from, &done, 1) != 1) break;
        ptosim_mpmd_job_end_wait();
        ptosim_mpmd_job_end_task();
        if (write(out, "d", 1) != 1) break;
    }
    close(chip.to);
    int status = 0;
    waitpid(chip.process, &status, 0);
    std::exit(status == 0 ? 0 : 1);
}

class Host {
 public:
    explicit Host(const Program& program) : after_(program.chips), expected_(program.chips, 1) {
        for (uint32_t i = 0; i < program.chips; ++i)
            chips_.push_back(start(chips_, [&](int in, int out) {
                program.has_nodes ? be_node(program, i, in, out) : be_chip(program, i, in, out);
            }));
    }

    void submit(uint32_t chip, const Run& run, bool after_all = false, bool begins = true) {
        const std::vector<uint32_t> none(chips_.size());
        ptosim_mpmd_job_submit(&chip, 1, after_all ? after_.data() : none.data(), 0);
        if (!begins) return;
        if (write(chips_[chip].to, &run, sizeof run) != sizeof run) std::exit(wait_for_chips() == 0 ? 2 : 1);
        ++after_[chip];
        waits_for_.push_back(chip);
    }
    void wait() {
        ptosim_mpmd_job_begin_wait(after_.data());
        char done = 0;
        for (const uint32_t chip : waits_for_) (void)!read(chips_[chip].from, &done, 1);
        ptosim_mpmd_job_end_wait();
        waits_for_.clear();
    }
    void play(const std::string& step, uint32_t chip) {
        ptosim_mpmd_job_orchestrate();
        if (step == "after") {
            submit(chip, {0, 0, 0}, true);
        } else {
            for (uint32_t i = 0; i < chips_.size(); ++i) {
                submit(i, {expected_[i]++, step == "cycle", !(step == "silent" && i == chip)}, false,
                       !(step == "kill" && i == chip));
            }
        }
        if (step == "kill") {
            usleep(500'000);
            kill(chips_[chip].process, SIGKILL);
        }
        if (step != "ring") wait();
    }
    int end() {
        wait();
        return wait_for_chips();
    }

 private:
    int wait_for_chips() {
        int code = 0;
        for (const Chip& chip : chips_) {
            close(chip.to);
            int status = 0;
            waitpid(chip.process, &status, 0);
            if (status != 0) code = 1;
        }
        return code;
    }

    std::vector<Chip> chips_;
    std::vector<uint32_t> after_, waits_for_;
    std::vector<int64_t> expected_;
};

}  // namespace

int main(int argc, char** argv) {
    Program program{argv[1], static_cast<uint32_t>(std::atoi(argv[2])), std::getenv("JOB_NODES") != nullptr, {}};
    const std::vector<uint32_t> one_each(program.chips, 1);
    const int began = program.has_nodes ? ptosim_mpmd_job_begin_nodes(one_each.data(), program.chips)
                                        : ptosim_mpmd_job_begin(program.chips);
    if (began != 1) return 2;
    signal(SIGPIPE, SIG_IGN);
    for (uint32_t i = 0; i < (program.has_nodes ? program.chips : 1); ++i) {
        program.files.push_back(memfd_create("windows", 0));
        const uint64_t size = program.has_nodes ? kWindow : kHeader + program.chips * kWindow;
        if (ftruncate(program.files.back(), static_cast<off_t>(size)) != 0) return 2;
    }
    Host host(program);
    for (int i = 3; i < argc; ++i) {
        const std::string step = argv[i];
        const bool one = step == "after" || step == "kill" || step == "silent";
        host.play(step, one ? static_cast<uint32_t>(std::atoi(argv[++i])) : 0);
    }
    return host.end();
}
