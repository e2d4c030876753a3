// Launches while a profiler of the host (torch_npu.profiler) is on, with the names of operators that runtimes report for
// them (MsprofReportCompactInfo).
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "sim/machine/event/cycle.h"

namespace ptosim {

class LaunchProfile {
 public:
    struct Launch {
        std::string name, type;  // of the operator, if a runtime has reported it, or of the kernel
        std::string cores;       // AI_CORE, AI_VECTOR_CORE or MIX_AIC
        int64_t blocks = 0;
        int stream = 0;
        Cycle begin = 0, end = 0;  // since the chip came up
        uint64_t number = 0;       // of the submission
    };
    // The function of a runtime that is called when profiling begins and ends (MsprofRegisterCallback).
    using Switch = int32_t (*)(uint32_t type, void* data, uint32_t bytes);

    void add_switch(Switch function) { switches_.push_back(function); }
    // Without the device's lock, because switches may call acl.
    void start();
    void stop();
    // The launches that have ended since start() or the call before, in their order.
    std::vector<Launch> take();

    // The host has submitted a launch. Launches end in the order in which they are submitted.
    void submit() { ++submitted_; }
    void add(Launch launch);

    uint64_t hash(std::string text);
    // A runtime reports the operator of the launch that it has submitted last, by the hashes of its name and type.
    void name(uint64_t name, uint64_t type);

 private:
    void call_switches(uint32_t command) const;

    bool active_ = false;
    std::vector<Switch> switches_;
    std::map<uint64_t, std::string> texts_;                              // by hash
    std::map<uint64_t, std::pair<std::string, std::string>> operators_;  // by submission: name and type
    std::vector<Launch> launches_;
    uint64_t submitted_ = 0, ended_ = 0;
};

}  // namespace ptosim
