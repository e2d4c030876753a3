// The device: answers each request on a socket with one line (worker.h; docs/python.md lists the requests).
#pragma once

namespace ptosim::worker {

// Serves until the caller closes the socket. `side` is a socket to the watcher, for the sandbox; -1: there is no
// watcher, and the device accepts only interpreted kernels.
[[noreturn]] void run_device(int socket, int side);

}  // namespace ptosim::worker
