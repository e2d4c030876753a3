#include "sim/native/crash_guard.h"

#include <signal.h>
#include <sys/syscall.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <cstring>
#include <sstream>

namespace ptosim {
namespace {

constexpr std::array kSignals = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT};
constexpr int kTick = SIGVTALRM;  // once in a second of computing
// Kernels that poll global memory are given longer than those that do not even do that.
constexpr unsigned kPollFactor = 3;

CrashGuard* volatile inside = nullptr;  // the guard whose kernel's code runs
std::array<struct sigaction, 32> previous;
void (*explanation)(uint64_t) = nullptr;
bool installed = false;

unsigned limit() {
    const char* text = std::getenv("PTOSIM_WATCHDOG");
    return text == nullptr ? 10 : static_cast<unsigned>(std::strtoul(text, nullptr, 10));
}
unsigned watchdog = limit();
volatile uint64_t entered = 0;   // calls of enter()
volatile uint64_t progress = 0;  // instructions
uint64_t seen_entered = 0, seen_progress = 0;
volatile unsigned stuck = 0, polled = 0;  // seconds without them

}  // namespace

struct CrashHandler {
    [[noreturn]] static void escape(const Crash& crash) {
        CrashGuard* guard = inside;
        inside = nullptr;
        guard->crash_ = crash;
        siglongjmp(guard->escape_, 1);
    }

    static void on_signal(int signal, siginfo_t* information, void* context) {
        const uint64_t address = reinterpret_cast<uint64_t>(information->si_addr);
        if (inside != nullptr) {
            Crash crash{Crash::Kind::kSignal, signal, address, false};
#ifdef __x86_64__
            const auto* machine = static_cast<const ucontext_t*>(context);
            const uint64_t stack = static_cast<uint64_t>(machine->uc_mcontext.gregs[REG_RSP]);
            crash.stack_overflow =
                signal == SIGSEGV && address + (64 << 10) > stack && address < stack + (8 << 10);
#else
            (void)context;
#endif
            escape(crash);
        }
        if (explanation != nullptr && signal == SIGSEGV) explanation(address);
        // As if we had not been there: the instruction runs again and meets the old handler.
        sigaction(signal, &previous[static_cast<size_t>(signal)], nullptr);
        if (signal == SIGABRT) raise(signal);
    }

    static void on_tick(int, siginfo_t*, void*) {
        stuck = inside != nullptr && entered == seen_entered ? stuck + 1 : 0;
        polled = progress == seen_progress ? polled + 1 : 0;
        seen_entered = entered;
        seen_progress = progress;
        if (watchdog != 0 && stuck >= watchdog && inside != nullptr)
            escape({Crash::Kind::kEndlessLoop, 0, 0, false});
    }
};

namespace {

void install() {
    if (installed) return;
    installed = true;
    // The stack of a coroutine may be what has overflowed.
    static std::array<char, 64 << 10> alternate;
    stack_t stack{};
    stack.ss_sp = alternate.data();
    stack.ss_size = alternate.size();
    sigaltstack(&stack, nullptr);
    struct sigaction action {};
    action.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER | SA_RESTART;
    action.sa_sigaction = &CrashHandler::on_signal;
    for (int signal : kSignals) sigaction(signal, &action, &previous[static_cast<size_t>(signal)]);
    action.sa_sigaction = &CrashHandler::on_tick;
    sigaction(kTick, &action, nullptr);

    sigevent event{};
    event.sigev_notify = SIGEV_THREAD_ID;
    event.sigev_signo = kTick;
    event._sigev_un._tid = static_cast<pid_t>(syscall(SYS_gettid));
    timer_t timer{};
    if (timer_create(CLOCK_THREAD_CPUTIME_ID, &event, &timer) != 0) return;
    const itimerspec second{{1, 0}, {1, 0}};
    timer_settime(timer, 0, &second, nullptr);
}

std::string hexadecimal(uint64_t value) {
    std::ostringstream text;
    text << "0x" << std::hex << value;
    return text.str();
}

}  // namespace

std::string to_text(const Crash& crash) {
    if (crash.stack_overflow) return "its stack has overflowed (512 KiB on this simulator)";
    switch (crash.signal) {
        case SIGSEGV:
        case SIGBUS:
            return "it used address " + hexadecimal(crash.address) +
                   (crash.address < 4096 ? ", a null pointer" : ", which holds no memory of its");
        case SIGFPE:
            return "an integer division by zero";
        case SIGABRT:
            return "it called abort(), or an assertion of it failed";
        default:
            return std::string("signal ") + strsignal(crash.signal);
    }
}

void CrashGuard::enter() {
    entered = entered + 1;
    inside = this;
}

void CrashGuard::leave() { inside = nullptr; }

Crash CrashGuard::run(void (*function)(void*), void* argument) {
    install();
    crash_ = {};
    struct Leave {
        ~Leave() { inside = nullptr; }
    } leave_at_end;
    if (sigsetjmp(escape_, 1) == 0) {
        enter();
        function(argument);
    }
    return crash_;
}

void set_watchdog(unsigned seconds) { watchdog = seconds; }
void note_progress() {
    progress = progress + 1;
    polled = 0;
}
bool only_polled() { return watchdog != 0 && polled >= kPollFactor * watchdog; }
void set_crash_explanation(void (*explain)(uint64_t)) {
    explanation = explain;
    install();
}

}  // namespace ptosim
