// The simulated device of a process that was linked with libptosim: memory, streams, events,
// launches. Work is done in order, at the call that asks for it; a stream keeps what went wrong in
// it until it is synchronised.
#pragma once

#include <list>
#include <map>
#include <memory>
#include <mutex>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "ptosim/launch.h"
#include "sim/check/checkers.h"
#include "sim/chip/chip.h"
#include "sim/native/kernel.h"
#include "traces/record/recording_cache.h"
#include "traces/traces.h"

namespace ptosim {

// What the environment chooses: PTOSIM_CHIP (default: by the kernels' architecture), PTOSIM_SET
// (PATH=VALUE, separated by semicolons), PTOSIM_TRACE (folder), PTOSIM_CHECK (as --check),
// PTOSIM_NUMERICS, PTOSIM_MODE, PTOSIM_SYNC, PTOSIM_JSON (file), PTOSIM_REPORT
// (file of the findings: .json, .sarif, .xml for JUnit, else text).
struct DeviceOptions {
    std::string chip;
    std::vector<std::string> overrides;
    std::string trace, json, report;
    check::CheckOptions checks;
    bool checked = false;  // findings decide the exit code
    LaunchOptions launch;
};
// Throws DiagnosticError (H20) for a value that is none.
DeviceOptions device_options(Arch arch);

// An error of a call: its code in the acl API, and what is told.
struct HostError {
    int code;
    Diagnostic diagnostic;
};

class Device {
 public:
    // Made by the first call. A wrong environment ends the process (exit code 2).
    static Device& get();
    // Images are known before the device is made.
    static void add_images(std::vector<NativeImage> images);

    const ChipModel& model() const { return chip_->model(); }
    std::mutex& mutex() { return mutex_; }

    // These throw HostError.
    uint64_t allocate(uint64_t size);
    void release(const void* pointer);
    void* allocate_host(uint64_t size);
    void release_host(const void* pointer);
    // `stream`: in which the work is done; none: by the host, before it goes on.
    void copy(void* to, uint64_t room, const void* from, uint64_t count, int kind,
              std::optional<void*> stream = {});
    void set(void* to, uint64_t room, int value, uint64_t count, std::optional<void*> stream = {});
    void check_device_range(const void* pointer, uint64_t count, const std::string& what) const;
    uint64_t allocated() const { return allocated_; }

    struct Stream {
        int error = 0;  // of the work in it since it was synchronised last
    };
    struct Event {
        bool recorded = false;
        Cycle time = 0;
    };
    Stream* make_stream();
    void destroy_stream(void* stream);
    // Null is the default stream.
    Stream& stream(void* handle);
    int synchronize(void* stream);
    int synchronize_all();
    Event* make_event();
    void destroy_event(void* event);
    Event& event(void* handle);
    void record(void* event, void* stream);
    void await(void* stream, void* event);
    void synchronize_event(void* event);
    double milliseconds(void* start, void* end);

    void launch(const ptosim_launch_request& request);
    // The address of rtGetC2cCtrlAddr.
    uint64_t control_address();

    // Tells what device memory has not been freed, once.
    void report_leaks();
    // Keeps the text for aclGetRecentErrMsg and prints it.
    void tell(const Diagnostic& diagnostic);
    const char* recent_message();

 private:
    Device();
    void finish(int status);
    void write_results();
    void run(const ptosim_launch_request& request);
    NativeKernel& kernel(const ptosim_launch_request& request);
    void check_arguments(const ptosim_launch_request& request) const;
    bool on_device(const void* pointer) const;
    check::HostOrder* order() { return checkers_ ? checkers_->host_order() : nullptr; }
    void order_access(const char* what, std::optional<void*> stream, const void* read,
                      const void* written, uint64_t count);

    std::mutex mutex_;
    DeviceOptions options_;
    std::unique_ptr<Chip> chip_;
    std::unique_ptr<NativeModules> modules_;
    std::map<std::string, std::unique_ptr<NativeKernel>> kernels_;  // by module and site
    std::optional<check::Checkers> checkers_;
    Summary summary_;
    std::optional<RecordingWriter> writer_;
    std::optional<RecordingCache> kept_;
    std::optional<Recorder> recorder_;

    struct Allocation {
        uint64_t size = 0;
        unsigned number = 0;  // of the call
    };
    std::map<uint64_t, Allocation> allocations_;
    std::map<uint64_t, unsigned> freed_;  // by address: number of the call
    std::map<const void*, uint64_t> host_allocations_;
    uint64_t allocated_ = 0;
    unsigned allocation_count_ = 0;
    bool leaks_told_ = false;
    bool ended_ = false;  // its results have been written
    uint64_t control_ = 0;

    std::list<Stream> streams_;
    std::list<Event> events_;
    Stream default_stream_;
    int broken_ = 0;  // the error after which the device runs nothing more
    std::vector<Diagnostic> findings_;
    std::string failed_;  // the last kernel whose launch has failed
    nlohmann::ordered_json launches_ = nlohmann::ordered_json::array();
    std::string message_;
    std::string taken_;  // what recent_message() has returned
};

}  // namespace ptosim
