// The device: answers requests on a socket, each with one line (worker.h; the requests are listed
// in sim/python/PROTOCOL.md).
#pragma once

namespace ptosim::worker {

// Serves until the caller closes the socket. `side` is the watcher's end for the sandbox.
void run_device(int socket, int side);

}  // namespace ptosim::worker
