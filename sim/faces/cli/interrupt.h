// Interrupts (Ctrl-C) and requests to end during a run.
#pragma once

#include <atomic>

#include "isa/core/diagnostic.h"
#include "sim/machine/event/cycle.h"

namespace ptosim::cli {

// While an object of this class lives, SIGINT and SIGTERM interrupt the launch that watches received(): it ends at its
// next instruction, so that its recording can be closed and the results so far can be reported. A second signal ends
// the process at once.
class Interrupt {
 public:
    Interrupt();
    ~Interrupt();  // a signal that came too late for the run ends the process
    Interrupt(const Interrupt&) = delete;
    Interrupt& operator=(const Interrupt&) = delete;

    // The number of the signal; 0: none yet.
    static const std::atomic<int>& received();
    // I43, with the signal and the cycle.
    static Diagnostic diagnostic(Cycle time, bool recorded);
    // Ends the process by the same signal, as its sender expects (a shell shows 128 + its number).
    [[noreturn]] static void end_process();
};

}  // namespace ptosim::cli
