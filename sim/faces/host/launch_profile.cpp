#include "sim/faces/host/launch_profile.h"

#include <array>
#include <cstddef>
#include <cstring>
#include <functional>
#include <tuple>

namespace ptosim {
namespace {

// MsprofCommandHandle of CANN's prof_common.h, up to the last field that runtimes read. They require its whole size, which
// grows with CANN's versions.
struct Command {
    uint64_t switches = 0, more_switches = 0;
    uint32_t device_count = 0;
    uint32_t devices[64] = {};
    uint32_t model = 0;
    uint32_t command = 0;
};
constexpr size_t kCommandBytes = 8192;
constexpr uint32_t kSwitchCommand = 1;     // RT_PROF_CTRL_SWITCH
constexpr uint64_t kTaskTimes = 0x2 | 0x800;  // PROF_TASK_TIME_L1, PROF_TASK_TIME
constexpr uint32_t kStart = 1, kStop = 2;  // PROF_COMMANDHANDLE_TYPE

}  // namespace

void LaunchProfile::call_switches(uint32_t command) const {
    std::array<std::byte, kCommandBytes> bytes{};
    Command handle;
    handle.switches = command == kStart ? kTaskTimes : 0;
    handle.device_count = 1;
    handle.command = command;
    std::memcpy(bytes.data(), &handle, sizeof handle);
    for (const Switch function : switches_) function(kSwitchCommand, bytes.data(), kCommandBytes);
}

void LaunchProfile::start() {
    active_ = true;
    launches_.clear();
    operators_.clear();
    call_switches(kStart);
}

void LaunchProfile::stop() {
    active_ = false;
    call_switches(kStop);
}

void LaunchProfile::add(Launch launch) {
    launch.number = ++ended_;
    if (active_) launches_.push_back(std::move(launch));
}

std::vector<LaunchProfile::Launch> LaunchProfile::take() {
    for (Launch& launch : launches_) {
        const auto found = operators_.find(launch.number);
        if (found != operators_.end()) std::tie(launch.name, launch.type) = found->second;
    }
    return std::exchange(launches_, {});
}

uint64_t LaunchProfile::hash(std::string text) {
    const uint64_t number = std::hash<std::string>{}(text);
    texts_.emplace(number, std::move(text));
    return number;
}

void LaunchProfile::name(uint64_t name, uint64_t type) {
    const auto found_name = texts_.find(name), found_type = texts_.find(type);
    if (!active_ || found_name == texts_.end()) return;
    operators_[submitted_] = {found_name->second, found_type == texts_.end() ? "" : found_type->second};
}

}  // namespace ptosim
