// `ptosim worker`: devices for programs in other languages (sim/python/PROTOCOL.md).
//
// SystemC allows one elaboration per process, so a device is a process. The worker is started
// once and forks. For each chip that is asked for it forks a template, which elaborates the chip
// and waits; a device is a fork of its template: ready in about two milliseconds, with a clean
// chip, and whatever becomes of it (a crash, an endless loop, exhausted memory) is its end only.
//
//   caller ──(a socket per device)──> worker ── fork, once a chip ──> template
//                                                                        │ fork
//                                               device <── fork ── watcher
//
// The watcher runs nothing of the kernel's. It kills the device and all that it has started when
// the caller closes its socket, which is how deadlines and Ctrl-C work; answers what the sandbox
// shows it; drains the kernel's standard output and error; and says as the last line on the
// socket how the device has ended.
#pragma once

#include <memory>

#include "sim/chip/chip.h"
#include "sim/session/options.h"

namespace ptosim::worker {

// Serves until the other end of `control` (a SOCK_SEQPACKET socket) is closed: each message
// carries the socket of one device. Its text names the chip: {"chip": ..., "set": [...]}. Returns
// the exit code.
int serve(int control);

// The chip that this process was forked with, if it is the one that the options describe.
std::unique_ptr<Chip> take_elaborated(const SessionOptions& options);

}  // namespace ptosim::worker
