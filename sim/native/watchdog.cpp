#include "sim/native/watchdog.h"

#include <signal.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <charconv>
#include <cstdlib>
#include <cstring>
#include <string>

#include "isa/core/diagnostic.h"

namespace ptosim {
namespace {

constexpr int kTick = SIGVTALRM;
constexpr unsigned kPollFactor = 3;
constexpr unsigned kComputeFactor = 30;
constexpr itimerspec kEachSecond{{1, 0}, {1, 0}};
// After a launch is stuck, its other cores are, too, so they do not get a second each.
constexpr itimerspec kOften{{0, 20'000'000}, {0, 20'000'000}};

unsigned limit = 10;             // seconds; 0: none
volatile uint64_t progress = 0;  // instructions
uint64_t seen = 0;               // progress at the last tick
volatile unsigned stuck = 0;     // ticks in kernels since the last progress
volatile bool computed = false;  // since the last tick
volatile unsigned idle = 0;      // ticks since the last progress or computation
volatile unsigned since = 0;     // ticks since the last instruction
volatile bool often = false;
void (*tick)() = nullptr;

thread_local bool watched = false;
thread_local timer_t timer{};

void set_interval(bool more_often) {
    if (often == more_often) return;
    often = more_often;
    timer_settime(timer, 0, often ? &kOften : &kEachSecond, nullptr);
}

}  // namespace

void read_watchdog() {
    const char* const text = std::getenv("PTOSIM_WATCHDOG");
    if (text == nullptr || *text == 0) return;
    const char* const end = text + std::strlen(text);
    const auto [stop, error] = std::from_chars(text, end, limit);
    if (error != std::errc{} || stop != end)
        fail_input("H20", std::string("PTOSIM_WATCHDOG=") + text + " is not a number of seconds",
                   "0 switches the watchdog off");
}

void start_watchdog(void (*on_tick)()) {
    if (watched) return;
    watched = true;
    tick = on_tick;
    struct sigaction action {};
    action.sa_flags = SA_ONSTACK | SA_NODEFER | SA_RESTART;
    action.sa_handler = [](int) { tick(); };
    sigaction(kTick, &action, nullptr);
    sigevent event{};
    event.sigev_notify = SIGEV_THREAD_ID;
    event.sigev_signo = kTick;
    event._sigev_un._tid = static_cast<pid_t>(syscall(SYS_gettid));
    if (timer_create(CLOCK_THREAD_CPUTIME_ID, &event, &timer) != 0) return;
    timer_settime(timer, 0, &kEachSecond, nullptr);
}

void note_progress() {
    progress = progress + 1;
    forget_idle_time();
}

void note_computation() { computed = true; }

void note_wait() { stuck = 0; }

void forget_idle_time() {
    idle = 0;
    since = 0;
}

bool count_tick(bool in_kernel) {
    if (progress != seen) {
        seen = progress;
        stuck = 0;
        set_interval(false);
        return false;
    }
    if (!often) since = since + 1;
    const bool computes = computed && since < kComputeFactor * limit;
    computed = false;
    if (computes) {
        idle = 0;
        stuck = 0;
        set_interval(false);
        return false;
    }
    if (!often) idle = idle + 1;
    if (!in_kernel || limit == 0) return false;
    if (!often) stuck = stuck + 1;
    if (stuck < limit) return false;
    set_interval(true);
    return true;
}

bool only_polled() { return limit != 0 && idle >= kPollFactor * limit; }

}  // namespace ptosim
