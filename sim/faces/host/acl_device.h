// A simulated device of a process linked with libptosim, for acl and rt calls: memory, streams, and launches of
// registered images. All devices of the process: sim/faces/host/acl_devices.h.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "ptosim/launch.h"
#include "sim/faces/host/aicpu_servers.h"
#include "sim/faces/host/communicator.h"
#include "sim/faces/host/device_memory.h"
#include "sim/faces/host/launch_profile.h"
#include "sim/faces/host/pending_launches.h"
#include "sim/faces/host/reserved_memory.h"
#include "sim/faces/host/stream_captures.h"
#include "sim/faces/host/streams.h"
#include "sim/native/kernel.h"
#include "sim/session/simulated_device.h"

namespace ptosim {

class AclDevices;

class AclDevice {
 public:
    // The device of the calling thread.
    static AclDevice& get();
    // `chip`: made before (make_chips), or null. `system`: for communicators with one clock.
    AclDevice(AclDevices& all, unsigned number, SessionOptions options, std::unique_ptr<Chip> chip,
              std::optional<SystemModel> system);
    AclDevice(const AclDevice&) = delete;
    AclDevice& operator=(const AclDevice&) = delete;

    unsigned number() const { return number_; }
    SimulatedDevice& device() { return *device_; }
    const ChipModel& model() const { return device_->model(); }
    std::mutex& mutex();
    DeviceMemory& memory() { return *memory_; }
    ReservedMemory& reserved() { return reserved_; }
    GlobalMemory& device_memory() { return device_->memory(); }
    Streams& streams() { return *streams_; }
    StreamCaptures& captures() { return captures_; }
    LaunchProfile& profile() { return profile_; }
    Communicators& communicators() { return *communicators_; }
    // Runs a launch, or defers it until launches of other streams or devices run, if there are or may be several. A
    // captured stream keeps it.
    void launch(const ptosim_launch_request& request);
    // Registers a device binary; returns the module that its kernels are of. Throws DiagnosticError (H01).
    std::string add_binary(std::string_view content);
    // The name of that module's kernel with a tiling key; empty: there is none.
    std::string kernel_of_key(const std::string& module, uint64_t key) const;
    bool has_kernel(const std::string& module, std::string_view name) const;
    AicpuServers& servers() { return servers_; }
    // Runs all deferred launches. Calls that do more than add work to streams call this first.
    void run_pending();

    // ---- of several devices: launches in steps

    // Begins deferred launches, unless earlier ones have not ended.
    void begin_pending();
    bool has_pending() const { return !pending_.empty(); }
    bool launched() const { return launched_.has_value(); }
    void end_launched();

    void record(void* event, void* stream);
    void await(void* stream, void* event);

    // ---- the end of the process

    // Runs what is left, and refuses further launches.
    void end();
    // Writes the results. `messages`: to and from other devices of this process. Returns kKernelWrong if findings were
    // requested and there are some.
    ExitCode write_results(std::span<const RemoteWindows::Traffic> messages);
    bool failed() const { return !failed_.empty(); }

    // Reports device memory that has not been freed, once.
    void report_leaks();
    // Stores the text for aclGetRecentErrMsg and prints it.
    void report(const Diagnostic& diagnostic);
    const char* recent_message();
    void set_message(std::string text) { message_ = std::move(text); }

 private:
    void check_launch(const ptosim_launch_request& request);
    bool capture(const ptosim_launch_request& request);
    void admit(const ptosim_launch_request& request);
    std::vector<LaunchPart> parts_of(const std::vector<PendingLaunches::Launch>& launches);
    LaunchResult run(const std::vector<PendingLaunches::Launch>& launches);
    void take(LaunchResult result, const PendingLaunches::Taken& taken);
    void profile(const LaunchResult& result, const std::vector<PendingLaunches::Launch>& launches);
    void judge(const LaunchResult& result, const std::vector<PendingLaunches::Launch>& launches);
    NativeKernel& kernel(const ptosim_launch_request& request);
    NativeKernel& kernel_of_several(const ptosim_launch_request& request);
    const Kernel& windowed(const NativeKernel& kernel);

    AclDevices& all_;
    const unsigned number_;
    std::unique_ptr<SimulatedDevice> device_;
    std::unique_ptr<DeviceMemory> memory_;
    ReservedMemory reserved_;
    std::unique_ptr<Streams> streams_;
    std::unique_ptr<Communicators> communicators_;
    std::map<std::string, std::unique_ptr<NativeKernel>> kernels_;  // by module and site
    std::map<const NativeKernel*, std::unique_ptr<WindowedKernel>> windowed_;
    PendingLaunches pending_;
    // Launches that have begun in steps.
    struct Launched {
        PendingLaunches::Taken taken;
        std::vector<LaunchPart> parts;
    };
    std::optional<Launched> launched_;
    StreamCaptures captures_;
    LaunchProfile profile_;
    AicpuServers servers_;
    // For launches of several kernels, which share their sources.
    std::map<std::string, std::unique_ptr<NativeKernel>> kernels_of_several_;
    const std::shared_ptr<SourceMap> sources_of_several_ = std::make_shared<SourceMap>();
    bool ended_ = false;  // the process ends, so launches are refused
    std::string failed_;  // the last kernel whose launch failed
    std::string message_;
    std::string taken_;  // the last result of recent_message()
};

}  // namespace ptosim
