// Signals of code that is not ours: a kernel's crash becomes an exception, the simulator lives on.
#pragma once

#include <csetjmp>
#include <cstdint>
#include <string>

namespace ptosim {

// What ended a guarded call.
struct Crash {
    enum class Kind : uint8_t { kNone, kSignal, kEndlessLoop };
    Kind kind = Kind::kNone;
    int signal = 0;
    uint64_t address = 0;  // of the access, for SIGSEGV and SIGBUS
    bool stack_overflow = false;
};
// "it read or wrote address 0x0, where nothing is (SIGSEGV)"
std::string to_text(const Crash& crash);

// One call of a kernel's function. The coroutines of the cores run on one thread; at any moment at
// most one of them is in its kernel's own code, which the guard knows by enter() and leave().
class CrashGuard {
 public:
    // Runs function(argument); returns what ended it. Exceptions pass.
    Crash run(void (*function)(void*), void* argument);
    // The kernel's own code begins (again) and ends; between them its signals are caught.
    void enter();
    void leave();

 private:
    sigjmp_buf escape_;
    Crash crash_;
    friend struct CrashHandler;
};

// Seconds of computing without a call after which a kernel is in an endless loop; 0: never.
void set_watchdog(unsigned seconds);
// A kernel has issued an instruction somewhere.
void note_progress();
// No instruction has been issued for as long: kernels that only poll.
bool only_polled();

// Looks at a crash outside of guarded code before the process dies of it, e.g. to say that the host
// has used a device pointer.
void set_crash_explanation(void (*explain)(uint64_t address));

}  // namespace ptosim
