// A process that has elaborated a chip, and the devices that it forks (worker.h).
#pragma once

#include <memory>
#include <string>

#include "sim/chip/chip.h"
#include "sim/session/options.h"

namespace ptosim::worker {

// What comes beside the socket of a device: whether all of its kernels are interpreted.
constexpr const char* kInterpreted = "interpreted";
constexpr const char* kNative = "native";

// In a process of its own: devices of one chip, described as a message to the worker is, until the
// other end of `control` is closed and they have ended.
[[noreturn]] void serve_template(int control, const std::string& chip);

// The chip that this process was forked with, if it is the one that the options describe.
std::unique_ptr<Chip> take_elaborated(const SessionOptions& options);

}  // namespace ptosim::worker
