// A host that gives runs to several chips, each a process that it forks. A run has one task, on the first AIV.
//
//   job KERNEL.so CHIPS PLAN...
//
// A step of the plan is a run of each chip that it names: "ring" waits for the chip before, after it has sent to the
// next; "cycle" waits before it sends, on all chips; "after N" is chip N alone, after all runs so far; "kill N" kills
// chip N before it begins its run of a ring; "silent N" lets it not send. Each chip prints, for each run, its begin
// on the common clock in nanoseconds, and the first element of what it has received. With JOB_SMALLER=N, chip N makes
// smaller windows.
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

[[noreturn]] void be_chip(const char* kernel, uint32_t number, uint32_t chips, int file, int in, int out) {
    setenv("PTOSIM_CHIP_NUMBER", std::to_string(number).c_str(), 1);
    if (const char* const trace = std::getenv("PTOSIM_TRACE"))
        setenv("PTOSIM_TRACE", (trace + ("/chip" + std::to_string(number))).c_str(), 1);
    ptosim_mpmd_job_become(number);
    ptosim_mpmd_open("a2a3");
    void* const library = dlopen(kernel, RTLD_NOW | RTLD_LOCAL);
    const auto base = reinterpret_cast<uint64_t>(ptosim_mpmd_map(kHeader + chips * kWindow, file));
    std::vector<uint64_t> windows;
    std::vector<uint32_t> numbers;
    for (uint32_t i = 0; i < chips; ++i) windows.push_back(base + kHeader + i * kWindow), numbers.push_back(i);
    const char* const smaller = std::getenv("JOB_SMALLER");
    const uint64_t bytes = smaller != nullptr && std::to_string(number) == smaller ? kWindow - 64 : kWindow;
    if (library == nullptr || ptosim_mpmd_windows(windows.data(), numbers.data(), chips, bytes) != 0) std::exit(2);
    auto* const own = reinterpret_cast<float*>(windows[number]);
    own[256] = static_cast<float>(100 + number);
    bool good = true;
    for (Run run; read(in, &run, sizeof run) == sizeof run;) {
        Task task;
        task.kernel = reinterpret_cast<void (*)(int64_t*)>(dlsym(library, "kernel_entry"));
        const int64_t arguments[] = {static_cast<int64_t>(windows[number]),
                                     static_cast<int64_t>(windows[(number + 1) % chips]), run.expected, run.waits_first,
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

class Host {
 public:
    Host(const char* kernel, uint32_t chips) : after_(chips), expected_(chips, 1) {
        const int file = memfd_create("windows", 0);
        if (ftruncate(file, static_cast<off_t>(kHeader + chips * kWindow)) != 0) std::exit(2);
        for (uint32_t i = 0; i < chips; ++i) {
            int there[2], back[2];
            if (pipe2(there, O_CLOEXEC) != 0 || pipe2(back, O_CLOEXEC) != 0) std::exit(2);
            Chip chip{there[1], back[0], fork()};
            if (chip.process == 0) {
                for (const Chip& other : chips_) close(other.to), close(other.from);
                close(there[1]), close(back[0]);
                be_chip(kernel, i, chips, file, there[0], back[1]);
            }
            close(there[0]), close(back[1]);
            chips_.push_back(chip);
        }
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
    const auto chips = static_cast<uint32_t>(std::atoi(argv[2]));
    const int began = ptosim_mpmd_job_begin(chips);
    if (began != 1) return 2;
    signal(SIGPIPE, SIG_IGN);
    Host host(argv[1], chips);
    for (int i = 3; i < argc; ++i) {
        const std::string step = argv[i];
        const bool one = step == "after" || step == "kill" || step == "silent";
        host.play(step, one ? static_cast<uint32_t>(std::atoi(argv[++i])) : 0);
    }
    return host.end();
}
