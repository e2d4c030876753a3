#include "sim/faces/cli/interrupt.h"

#include <signal.h>

#include <atomic>
#include <cstdlib>
#include <iostream>

namespace ptosim::cli {
namespace {

std::atomic<int> signal_received = 0;
static_assert(std::atomic<int>::is_always_lock_free);

// Only for signals that are not ignored: `nohup` and shells in scripts ignore some.
void handle_with(void (*handler)(int)) {
    for (const int signal : {SIGINT, SIGTERM}) {
        struct sigaction action {};
        sigaction(signal, nullptr, &action);
        if (action.sa_handler == SIG_IGN) continue;
        action.sa_handler = handler;
        action.sa_flags = static_cast<int>(SA_RESETHAND) | SA_RESTART;
        sigaction(signal, &action, nullptr);
    }
}

}  // namespace

Interrupt::Interrupt() {
    handle_with([](int signal) { signal_received = signal; });
}

Interrupt::~Interrupt() {
    handle_with(SIG_DFL);
    if (signal_received != 0) end_process();
}

const std::atomic<int>& Interrupt::received() { return signal_received; }

Diagnostic Interrupt::diagnostic(Cycle time, bool recorded) {
    Diagnostic d;
    d.code = "I43";
    d.category = Category::kInput;
    d.message = std::string("the run was interrupted (") +
                (signal_received == SIGTERM ? "SIGTERM" : "SIGINT") + ")";
    d.hint = recorded
                 ? "the recording ends there; 'ptosim report DIR' shows its state"
                 : "results are up to that point; --trace DIR records the run";
    d.cycle = time;
    d.has_cycle = true;
    return d;
}

void Interrupt::end_process() {
    std::cout.flush();
    std::cerr.flush();
    signal(signal_received, SIG_DFL);
    raise(signal_received);
    std::_Exit(128 + signal_received);
}

}  // namespace ptosim::cli
