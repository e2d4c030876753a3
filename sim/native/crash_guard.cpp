#include "sim/native/crash_guard.h"

#include <alloca.h>
#include <pthread.h>
#include <signal.h>
#include <sys/mman.h>
#include <ucontext.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <memory>
#include <sstream>
#include <string_view>

#include "sim/native/division.h"
#include "sim/native/watchdog.h"

namespace ptosim {
namespace {

constexpr std::array kSignals = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT};
constexpr uint64_t kPage = 4096;

CrashGuard* volatile inside = nullptr;  // the guard of the running kernel code
pthread_t running_thread;               // the thread that runs it
std::array<struct sigaction, 32> previous;
std::terminate_handler previous_terminate = nullptr;
void (*explanation)(uint64_t) = nullptr;
bool installed = false;
bool handed_over = false;  // a signal was passed to the earlier handler
std::array<char, 64> last_kernel;  // name of the kernel that ran last

bool in_kernel() { return inside != nullptr && pthread_equal(pthread_self(), running_thread) != 0; }

// Output that a signal handler may use.
void print(std::string_view text) {
    if (write(STDERR_FILENO, text.data(), text.size()) < 0) return;
}
void print(uint32_t number) {
    char digits[10];
    char* begin = digits + sizeof digits;
    do *--begin = static_cast<char>('0' + number % 10);
    while ((number /= 10) != 0);
    print({begin, static_cast<size_t>(digits + sizeof digits - begin)});
}

// The current instruction; null on hosts other than x86-64.
const void* code_of(const ucontext_t& machine) {
#ifdef __x86_64__
    return reinterpret_cast<const void*>(machine.uc_mcontext.gregs[REG_RIP]);
#else
    (void)machine;
    return nullptr;
#endif
}

// Guard pages of the cores' stacks: a hash table in which a page has kTries slots. They stay protected between kernels,
// because protecting and releasing one costs more than a small block.
constexpr size_t kTries = 8;
std::array<uint64_t, 1024> forbidden_pages;  // 0: a free slot

void protect(uint64_t page, int how) { mprotect(reinterpret_cast<void*>(page), kPage, how); }

uint64_t& entry_of(uint64_t page, size_t attempt) {
    // Stacks lie at equal distances, so a multiplication scatters them (2^64 over the golden ratio).
    const uint64_t hash = page / kPage * 0x9E3779B97F4A7C15u >> 54;
    return forbidden_pages[(hash + attempt) % forbidden_pages.size()];
}

void forbid(uint64_t page) {
    uint64_t* unused = nullptr;
    for (size_t i = 0; i < kTries; ++i) {
        uint64_t& entry = entry_of(page, i);
        if (entry == page) return;
        if (entry == 0 && unused == nullptr) unused = &entry;
    }
    if (unused == nullptr) return;  // no slot: this kernel runs without a guard page
    *unused = page;
    protect(page, PROT_NONE);
}

// The simulator's own code may touch a page between two kernels.
bool release(uint64_t page) {
    for (size_t i = 0; page != 0 && i < kTries; ++i) {
        uint64_t& entry = entry_of(page, i);
        if (entry != page) continue;
        entry = 0;
        protect(page, PROT_READ | PROT_WRITE);
        return true;
    }
    return false;
}

}  // namespace

struct CrashHandler {
    [[noreturn]] static void escape(const Crash& crash) {
        CrashGuard* guard = inside;
        inside = nullptr;
        guard->crash_ = crash;
        siglongjmp(guard->escape_, 1);
    }

    // Prints errors that can no longer become findings.
    static void tell(const CrashGuard& guard, std::string_view what) {
        if (guard.at_->file != nullptr) {
            print(guard.at_->file);
            print(":");
            print(guard.at_->line);
            print(": ");
        }
        print("error: kernel ");
        print(guard.kernel_);
        print(guard.core_ == CoreType::kAIC ? " on AIC" : " on AIV");
        if (guard.core_index_ < 10) print("0");
        print(guard.core_index_);
        print(what);
    }

    // For errors in the simulator's own code after a kernel has run.
    static void tell_damage(int signal) {
        print("error: the memory of this process is damaged: kernel ");
        print(last_kernel.data());
        print(" may have written beyond memory that it allocated, or freed it twice [H10]\n");
        if (signal == SIGABRT) _exit(1);  // found by the C library; other signals may be errors of the simulator
    }

    static bool finishes_division(ucontext_t& machine) {
        const void* code = code_of(machine);
        const DivisionTrap trap = finish_division(machine);
        CrashGuard& guard = *inside;
        if (trap == DivisionTrap::kByZero && guard.division_count_ < guard.divisions_.size() &&
            std::ranges::find(guard.zero_divisions(), code) == guard.zero_divisions().end())
            guard.divisions_[guard.division_count_++] = code;
        return trap != DivisionTrap::kNone;
    }

    // Frames of code without frame pointers are not followed: they lie outside of the used part of the stack.
    static void note_calls(Crash& crash, const ucontext_t& machine) {
#ifdef __x86_64__
        const auto& registers = machine.uc_mcontext.gregs;
        const CodeRange range = inside->code_;
        const auto code = reinterpret_cast<uint64_t>(crash.code);
        if (code < range.begin || code >= range.end) return;
        crash.calls.add(code - range.begin);
        const auto frame = static_cast<uint64_t>(registers[REG_RBP]);
        if (frame >= static_cast<uint64_t>(registers[REG_RSP]))
            add_frames(crash.calls, reinterpret_cast<const void*>(frame), range, inside->guard_page_);
#else
        (void)crash;
        (void)machine;
#endif
    }

    static void on_signal(int signal, siginfo_t* information, void* context) {
        const uint64_t address = reinterpret_cast<uint64_t>(information->si_addr);
        if (in_kernel()) {
            if (signal == SIGFPE && finishes_division(*static_cast<ucontext_t*>(context))) return;
            // The C library has found its heap damaged, so nothing that allocates memory can continue.
            if (signal == SIGABRT) {
                tell(*inside,
                     " crashed: it wrote beyond memory that it allocated, or freed it twice [H10]\n");
                _exit(1);
            }
            Crash crash{.kind = Crash::Kind::kSignal, .signal = signal, .address = address};
            crash.array_overrun =
                address >= inside->guard_page_ && address < inside->guard_page_ + kPage;
            const auto* machine = static_cast<const ucontext_t*>(context);
#ifdef __x86_64__
            const uint64_t stack = static_cast<uint64_t>(machine->uc_mcontext.gregs[REG_RSP]);
            crash.stack_overflow = signal == SIGSEGV && !crash.array_overrun &&
                                   address + (64 << 10) > stack && address < stack + (8 << 10);
#endif
            crash.code = code_of(*machine);
            note_calls(crash, *machine);
            escape(crash);
        }
        if (signal == SIGSEGV && release(address / kPage * kPage)) return;
        if (explanation != nullptr && signal == SIGSEGV) explanation(address);
        if (explanation == nullptr && last_kernel[0] != 0) tell_damage(signal);
        // Restores the earlier handler: the instruction runs again and reaches it. If that handler calls this one in
        // turn, the default follows.
        struct sigaction next = previous[static_cast<size_t>(signal)];
        if (handed_over) next = {};
        handed_over = true;
        sigaction(signal, &next, nullptr);
        if (signal == SIGABRT) raise(signal);
    }

    static void on_tick() {
        if (count_tick(in_kernel())) escape({.kind = Crash::Kind::kEndlessLoop});
    }

    // Handles an exception that leaves a kernel's noexcept function.
    static void on_terminate() {
        if (in_kernel()) escape({.kind = Crash::Kind::kSignal, .signal = SIGABRT});
        if (previous_terminate != nullptr) previous_terminate();
        std::abort();
    }

    // Handles the case that a library called by a kernel ends the process.
    static void on_exit(int, void*) {
        if (!in_kernel()) return;
        tell(*inside, " has ended the process [H12]\n");
        _exit(1);
    }
};

namespace {

bool is_ours(int signal) {
    struct sigaction present {};
    sigaction(signal, nullptr, &present);
    return (present.sa_flags & SA_SIGINFO) != 0 && present.sa_sigaction == &CrashHandler::on_signal;
}

void take_signals() {
    struct sigaction action {};
    action.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER | SA_RESTART;
    action.sa_sigaction = &CrashHandler::on_signal;
    for (int signal : kSignals)
        if (!is_ours(signal)) sigaction(signal, &action, &previous[static_cast<size_t>(signal)]);
    handed_over = false;
}

// A program's own handlers may have replaced these in the meantime. Guard pages need the handler of SIGSEGV.
void install() {
    if (!is_ours(SIGSEGV)) take_signals();
    if (installed) return;
    installed = true;
    previous_terminate = std::set_terminate(&CrashHandler::on_terminate);
    on_exit(&CrashHandler::on_exit, nullptr);
}

// Handlers need a separate stack, because the stack of a coroutine may have overflowed. Each thread that launches
// kernels has one for its lifetime; the main thread's is needed until the process ends.
using HandlerStack = std::array<char, 64 << 10>;
HandlerStack of_main_thread;

stack_t use_for_handlers(HandlerStack& memory) {
    stack_t stack{}, before{};
    stack.ss_sp = memory.data();
    stack.ss_size = memory.size();
    sigaltstack(&stack, &before);
    return before;
}

struct StackOfThread {
    StackOfThread() = default;
    ~StackOfThread() { sigaltstack(&before, nullptr); }
    StackOfThread(const StackOfThread&) = delete;
    StackOfThread& operator=(const StackOfThread&) = delete;

    const std::unique_ptr<HandlerStack> memory = std::make_unique<HandlerStack>();
    const stack_t before = use_for_handlers(*memory);
};

void prepare_thread() {
    thread_local bool prepared = false;
    if (prepared) return;
    prepared = true;
    if (gettid() == getpid())
        use_for_handlers(of_main_thread);
    else
        thread_local const StackOfThread of_this_thread;
    start_watchdog(&CrashHandler::on_tick);
}

std::string hexadecimal(uint64_t value) {
    std::ostringstream text;
    text << "0x" << std::hex << value;
    return text.str();
}

}  // namespace

std::string to_text(const Crash& crash) {
    if (crash.array_overrun) return "it has written beyond the end of a local array";
    if (crash.stack_overflow) return "its stack has overflowed (512 KiB on this simulator)";
    switch (crash.signal) {
        case SIGSEGV:
        case SIGBUS:
            return "it used address " + hexadecimal(crash.address) +
                   (crash.address < 4096 ? ", a null pointer" : ", which holds no memory of its");
        case SIGABRT:
            return "an exception left a function that is noexcept";
        default:
            return std::string("signal ") + strsignal(crash.signal);
    }
}

void CrashGuard::enter() { inside = this; }

void CrashGuard::leave() { inside = nullptr; }

void CrashGuard::end_call() { CrashHandler::escape({.kind = Crash::Kind::kLeft}); }

Crash CrashGuard::run(void (*function)(void*), void* argument, const ptosim_location& at) {
    at_ = &at;
    install();
    prepare_thread();
    forget_idle_time();
    running_thread = pthread_self();
    crash_ = {};
    last_kernel = {};
    kernel_.copy(last_kernel.data(), last_kernel.size() - 1);
    // Stacks grow downwards: a kernel that writes beyond a local array writes towards the simulator's frames, which
    // must stay intact. A guard page lies between its frames and these.
    const auto room = reinterpret_cast<uint64_t>(alloca(2 * kPage));
    guard_page_ = (room + kPage - 1) / kPage * kPage;
    forbid(guard_page_);
    struct Leave {
        ~Leave() { inside = nullptr; }
    } leave_at_end;
    if (sigsetjmp(escape_, 1) == 0) {
        enter();
        function(argument);
    }
    return crash_;
}

void set_crash_explanation(void (*explain)(uint64_t)) {
    explanation = explain;
    install();
    prepare_thread();
}

void catch_kernel_faults() { prepare_thread(); }

}  // namespace ptosim
