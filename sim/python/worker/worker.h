// `ptosim worker`: devices for programs in other languages (docs/python.md).
//
// SystemC allows one elaboration per process, so a device is a process. The worker is started
// once and forks. For each chip that is asked for it forks a template, which elaborates the chip
// (template.h); a device is a fork of its template, made in advance, with a clean chip, and
// whatever becomes of it (a crash, an endless loop, exhausted memory) is its end only.
//
//   caller ──(a socket per device)──> worker ── fork, once a chip ──> template ── fork ──> device
//
// Somebody who runs nothing of the kernel's kills the device when the caller closes its socket,
// which is how deadlines and Ctrl-C work; drains what it writes to standard output and error; and
// says as the last line on the socket how it has ended. For kernels that are interpreted this is
// the template. Code of a kernel may start processes and has a sandbox: such a device has a watcher
// of its own, between it and the template (watcher.h).
#pragma once

namespace ptosim::worker {

// Serves until the other end of `control` (a SOCK_SEQPACKET socket) is closed: each message
// carries the socket of one device. Its text names the chip, and says whether its kernels are
// interpreted: {"chip": ..., "set": [...], "interpreted": true}. Returns the exit code.
int serve(int control);

}  // namespace ptosim::worker
