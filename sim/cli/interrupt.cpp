#include "sim/cli/interrupt.h"

#include <signal.h>

#include <atomic>
#include <cstdlib>
#include <iostream>

namespace ptosim::cli {
namespace {

std::atomic<int> received = 0;
static_assert(std::atomic<int>::is_always_lock_free);

// Of signals that are not ignored: `nohup` and shells in scripts say so.
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
    handle_with([](int signal) { received = signal; });
}

Interrupt::~Interrupt() {
    handle_with(SIG_DFL);
    if (received != 0) end_process();
}

void Interrupt::on_complete(const InstructionEvent& event) {
    if (received.load(std::memory_order_relaxed) == 0) return;
    time_ = event.time;
    throw Happened{};
}

Diagnostic Interrupt::diagnostic() const {
    Diagnostic d;
    d.code = "I43";
    d.category = Category::kInput;
    d.message = std::string("the run was interrupted (") +
                (received == SIGTERM ? "SIGTERM" : "SIGINT") + ")";
    d.hint = "the recording goes up to there; 'ptosim report DIR' shows what was going on";
    d.cycle = time_;
    d.has_cycle = true;
    return d;
}

void Interrupt::end_process() const {
    std::cout.flush();
    std::cerr.flush();
    signal(received, SIG_DFL);
    raise(received);
    std::_Exit(128 + received);
}

}  // namespace ptosim::cli
