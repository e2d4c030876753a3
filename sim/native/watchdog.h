// Kernels that go on computing, or polling, while no core issues an instruction.
#pragma once

#include <cstdint>

namespace ptosim {

// Takes the limit from PTOSIM_WATCHDOG: seconds of computing without an instruction of any core, 0
// for none, default 10. Throws DiagnosticError (H20) for anything else.
void read_watchdog();

// Watches the calling thread from now on. After each second that it has computed (and more often
// once it has been stuck), `on_tick` is called in a signal handler.
void start_watchdog(void (*on_tick)());

// A core has issued an instruction.
void note_progress();
// A kernel whose accesses checkers follow goes through memory: it may compute for thirty times the
// limit, as they take longer for each access than it does.
void note_computation();
// A core begins with a kernel: what the host has computed before is no polling.
void forget_idle_time();
// To be called by on_tick, with whether a kernel's own code is running: true if it has run for too
// long without an instruction of any core.
bool count_tick(bool in_kernel);
// No core has issued an instruction for three times the limit: kernels that only poll. Polling is
// given longer than loops that do nothing at all.
bool only_polled();

}  // namespace ptosim
