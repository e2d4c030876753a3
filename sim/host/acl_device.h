// The simulated device of a process linked with libptosim, for acl and rt calls: memory, streams, and launches of
// registered images.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "ptosim/launch.h"
#include "sim/host/aicpu_servers.h"
#include "sim/host/communicator.h"
#include "sim/host/device_memory.h"
#include "sim/host/launch_profile.h"
#include "sim/host/pending_launches.h"
#include "sim/host/stream_captures.h"
#include "sim/host/streams.h"
#include "sim/native/kernel.h"
#include "sim/session/simulated_device.h"

namespace ptosim {

class AclDevice {
 public:
    // Made by the first call, with the options in the environment (sim/session/options.h; the default chip has the
    // kernels' architecture). An invalid environment ends the process (exit code 2).
    static AclDevice& get();
    // Null if it has not been made.
    static AclDevice* made();
    // Adds images of the program, or of libraries that it loads later. Throws DiagnosticError (H01).
    static void add_images(std::vector<NativeImage> images);

    const ChipModel& model() const { return device_->model(); }
    std::mutex& mutex() { return mutex_; }
    DeviceMemory& memory() { return *memory_; }
    GlobalMemory& device_memory() { return device_->memory(); }
    Streams& streams() { return *streams_; }
    StreamCaptures& captures() { return captures_; }
    LaunchProfile& profile() { return profile_; }
    Communicators& communicators() { return *communicators_; }
    // The machine has one device for each rank. Throws HostError for another number.
    static uint32_t devices();
    static void require_device(int32_t number, const char* call);
    // Sets the number of this process's device on its first use. Throws HostError for a second number.
    void set_number(int32_t number, const char* call);
    int32_t number() const { return number_.value_or(0); }

    // Runs a launch, or defers it until launches of other streams run, if there are several streams. A captured stream
    // keeps it.
    void launch(const ptosim_launch_request& request);
    // Registers a device binary; returns the module that its kernels are of. Throws DiagnosticError (H01).
    std::string add_binary(std::string_view content);
    // The name of that module's kernel with a tiling key; empty: there is none.
    std::string kernel_of_key(const std::string& module, uint64_t key) const { return modules_->name_of_key(module, key); }
    bool has_kernel(const std::string& module, std::string_view name) const { return modules_->has_kernel(module, name); }
    AicpuServers& servers() { return servers_; }
    // Runs all deferred launches. Calls that do more than add work to streams call this first.
    void run_pending();
    void record(void* event, void* stream);
    void await(void* stream, void* event);

    // Reports device memory that has not been freed, once.
    void report_leaks();
    // Stores the text for aclGetRecentErrMsg and prints it.
    void report(const Diagnostic& diagnostic);
    const char* recent_message();

 private:
    AclDevice();
    static void name_files_by_rank(SessionOptions& options);
    void finish(int status);
    ExitCode write_results();
    void check_launch(const ptosim_launch_request& request);
    bool capture(const ptosim_launch_request& request);
    void admit(const ptosim_launch_request& request);
    LaunchResult run(const std::vector<PendingLaunches::Launch>& launches);
    void profile(const LaunchResult& result, const std::vector<PendingLaunches::Launch>& launches);
    void judge(const LaunchResult& result, const std::vector<PendingLaunches::Launch>& launches);
    NativeKernel& kernel(const ptosim_launch_request& request);
    NativeKernel& kernel_of_several(const ptosim_launch_request& request);
    const Kernel& windowed(const NativeKernel& kernel);

    std::mutex mutex_;
    std::unique_ptr<NativeModules> modules_;
    std::unique_ptr<SimulatedDevice> device_;  // with the options in the environment
    std::unique_ptr<DeviceMemory> memory_;
    std::unique_ptr<Streams> streams_;
    std::unique_ptr<Communicators> communicators_;
    std::optional<int32_t> number_;
    std::map<std::string, std::unique_ptr<NativeKernel>> kernels_;  // by module and site
    std::map<const NativeKernel*, std::unique_ptr<WindowedKernel>> windowed_;
    PendingLaunches pending_;
    StreamCaptures captures_;
    LaunchProfile profile_;
    AicpuServers servers_;
    unsigned binaries_ = 0;
    // For launches of several kernels, which share their sources.
    std::map<std::string, std::unique_ptr<NativeKernel>> kernels_of_several_;
    const std::shared_ptr<SourceMap> sources_of_several_ = std::make_shared<SourceMap>();
    bool ended_ = false;  // the process ends, so launches are refused
    std::string failed_;  // the last kernel whose launch failed
    std::string message_;
    std::string taken_;  // the last result of recent_message()
};

}  // namespace ptosim
