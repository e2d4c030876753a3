// The process beside a device that outlives it (worker.h).
#pragma once

namespace ptosim::worker {

// Forks the device, watches it, and says how it has ended. In a process of its own; takes the
// socket.
void watch_device(int socket);

}  // namespace ptosim::worker
