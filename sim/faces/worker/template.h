// A process that has elaborated a chip, and the devices that it forks (worker.h).
#pragma once

#include <memory>
#include <string>

#include "sim/machine/chip/chip.h"
#include "sim/session/options.h"

namespace ptosim::worker {

// Sent with the socket of a device: whether all of its kernels are interpreted.
constexpr const char* kInterpreted = "interpreted";
constexpr const char* kNative = "native";

// Runs in a separate process: serves devices of one chip, described as in a message to the worker, until the other end
// of `control` is closed and they have ended.
[[noreturn]] void serve_template(int control, const std::string& chip);

// The chip with which this process was forked, if the options describe it.
std::unique_ptr<Chip> take_elaborated(const SessionOptions& options);

}  // namespace ptosim::worker
