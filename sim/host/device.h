// The simulated device of a process that was linked with libptosim: memory, streams, events,
// launches. Work is done in order, at the call that asks for it; a stream keeps what went wrong in
// it until it is synchronised.
#pragma once

#include <list>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "ptosim/launch.h"
#include "sim/check/checkers/host_order.h"
#include "sim/native/kernel.h"
#include "sim/session/session.h"

namespace ptosim {

// An error of a call: its code in the acl API, and its diagnostic.
struct HostError {
    int code;
    Diagnostic diagnostic;
};

class Device {
 public:
    // Made by the first call, with the options that the environment has (sim/session/options.h; the
    // chip is by default one of the kernels' architecture). A wrong environment ends the process
    // (exit code 2).
    static Device& get();
    // Of the program and of libraries that it loads later. Throws DiagnosticError (H01).
    static void add_images(std::vector<NativeImage> images);

    const ChipModel& model() const { return session_->model(); }
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
        int error = 0;   // of the work in it since it was synchronised last
        int number = 0;  // 0: the default stream
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

    // Reports device memory that has not been freed, once.
    void report_leaks();
    // Keeps the text for aclGetRecentErrMsg and prints it.
    void tell(const Diagnostic& diagnostic);
    const char* recent_message();

 private:
    Device();
    void finish(int status);
    ExitCode write_results();
    void run(const ptosim_launch_request& request);
    NativeKernel& kernel(const ptosim_launch_request& request);
    void check_arguments(const ptosim_launch_request& request) const;
    bool on_device(const void* pointer) const;
    GlobalMemory& memory() const { return session_->memory(); }
    check::Checkers* checkers() const { return session_->checkers(); }
    check::HostOrder* order() const {
        return checkers() != nullptr ? checkers()->find<check::HostOrder>() : nullptr;
    }
    void order_access(const char* what, std::optional<void*> stream, const void* read,
                      const void* written, uint64_t count);

    std::mutex mutex_;
    std::unique_ptr<NativeModules> modules_;
    std::unique_ptr<Session> session_;  // of the options in the environment
    std::map<std::string, std::unique_ptr<NativeKernel>> kernels_;  // by module and site

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
    int last_stream_ = 0;
    std::list<Event> events_;
    Stream default_stream_;
    int broken_ = 0;      // the error after which the device runs nothing more
    std::string failed_;  // the last kernel whose launch has failed
    std::string message_;
    std::string taken_;  // what recent_message() has returned
};

}  // namespace ptosim
