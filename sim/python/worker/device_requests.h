// The device: answers requests on a socket, each with one line (worker.h; the requests are listed
// in docs/python.md).
#pragma once

namespace ptosim::worker {

// Serves until the caller closes the socket. `side` leads to the watcher, for the sandbox; -1:
// there is none, and the device takes interpreted kernels alone.
[[noreturn]] void run_device(int socket, int side);

}  // namespace ptosim::worker
