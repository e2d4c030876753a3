// Programs for processors of the AICPU that a host launches next to a kernel: they run on the simulated clock while the
// kernel does, and both address the cores' registers (sim/native/control_registers.h).
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "sim/machine/aicpu/processor.h"
#include "sim/session/session.h"

namespace ptosim {

class AicpuServers {
 public:
    using Work = int (*)(void*);

    // A function of the library that PTOSIM_AICPU_SERVER names, or that pypto-setup has made. Throws HostError if there
    // is none.
    Work find(const std::string& function);

    bool empty() const { return pending_.empty(); }
    // Runs work(arguments) on processors when the launches that wait begin.
    void add(Work work, std::vector<std::byte> arguments, unsigned processors);
    // Begins what has been added when the chip's event queue runs.
    void start(Session& session);
    // After that launch: problems of the processors.
    std::vector<Diagnostic> end();

 private:
    struct Run {
        Work work;
        std::vector<std::byte> arguments;
        unsigned processors;
        std::vector<int> results{};
    };
    void start(Processor& processor, Run& run, int& result);

    void* library_ = nullptr;
    std::vector<std::unique_ptr<Run>> pending_, running_;
    std::vector<std::unique_ptr<Processor>> processors_;  // live as long as the chip
};

}  // namespace ptosim
