// `ptosim worker`: devices for programs in other languages (docs/python.md).
//
// SystemC permits one elaboration per process, so a device is a process. The worker is started once and forks. For each
// requested chip it forks a template, which elaborates the chip (template.h). A device is a fork of its template, made
// in advance, with a clean chip. A crash, an endless loop or exhausted memory ends only that device.
//
//   caller ──(a socket per device)──> worker ── fork, once a chip ──> template ── fork ──> device
//
// A process that runs no code of the kernel kills the device when the caller closes its socket (this implements
// deadlines and Ctrl-C), drains the device's standard output and error, and reports its end as the last line on the
// socket. For interpreted kernels this is the template. Compiled kernels may start processes and have a sandbox, so
// such a device has a separate watcher between it and the template (watcher.h).
#pragma once

namespace ptosim::worker {

// Serves until the other end of `control` (a SOCK_SEQPACKET socket) is closed. Each message carries the socket of one
// device. Its text names the chip and whether its kernels are interpreted: {"chip": ..., "set": [...], "interpreted":
// true}. Returns the exit code.
int serve(int control);

}  // namespace ptosim::worker
