// A process that watches a device and outlives it (worker.h).
#pragma once

namespace ptosim::worker {

// Forks the device, watches it, and reports its end. Runs in a separate process and takes ownership of the socket.
void watch_device(int socket);

}  // namespace ptosim::worker
