// Detects kernels that compute or poll endlessly while no core issues an instruction.
#pragma once

#include <cstdint>

namespace ptosim {

// Reads the limit from PTOSIM_WATCHDOG: seconds of computing without an instruction of any core; 0: none; default 10.
// Throws DiagnosticError (H20) for other values.
void read_watchdog();

// Watches the calling thread from now on. After each second of computing (more often after it has been stuck),
// `on_tick` is called in a signal handler.
void start_watchdog(void (*on_tick)());

// A core has issued an instruction.
void note_progress();
// Reports that a kernel observed by checkers is progressing through memory. It may compute for thirty times the limit,
// because each access takes that much longer.
void note_computation();
// Reports that threads of a kernel wait for other cores.
void note_wait();
// A core begins a kernel: earlier computing of the host does not count as polling.
void forget_idle_time();
// Called by on_tick; `in_kernel`: a kernel's own code is running. Returns true if it has run for too long without an
// instruction of any core.
bool count_tick(bool in_kernel);
// True if no core has issued an instruction for three times the limit because kernels only poll. The limit is longer
// than for loops without any effect.
bool only_polled();

}  // namespace ptosim
