// The devices of a process linked with libptosim: one; or, with a system of several chips and without ranks, as many as
// the system has, with one event queue.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "sim/faces/host/acl_device.h"
#include "sim/faces/host/host_threads.h"
#include "sim/machine/model/system_model.h"
#include "sim/system/chip_group.h"

namespace ptosim {

class AclDevices {
 public:
    // Made by the first call, with device 0 and the options in the environment (sim/session/options.h; the default chip
    // has the kernels' architecture). An invalid environment ends the process (exit code 2).
    static AclDevices& get();
    // Null if they have not been made.
    static AclDevices* made();
    // Adds images of the program, or of libraries that it loads later. Throws DiagnosticError (H01).
    static void add_images(std::vector<NativeImage> images);

    // For all calls.
    std::mutex& mutex() { return mutex_; }
    NativeModules& modules() { return *modules_; }
    // The devices that aclrtSetDevice permits; with ranks, one for each.
    uint32_t count() const { return count_; }
    // Throws HostError for another number.
    void require(int32_t number, const char* call) const;
    // The device of the calling thread: the last one that it has set, or device 0.
    AclDevice& current();
    // Throws HostError; with ranks, for a second number in a process.
    void set_current(int32_t number, const char* call);
    int32_t current_number() const;
    // True if this process may use several devices.
    bool may_be_several() const { return !all_chips_.empty(); }
    // True if it has used several.
    bool several() const { return group_.has_value(); }
    // The device whose memory has this address; null if none has.
    AclDevice* device_of(const void* pointer);
    // The device with this event, if it is not the current one; null: none.
    AclDevice* other_device_with_event(void* event);

    // Kernels of the current device can use memory of the other one, or no longer. Throws HostError.
    void set_access(int32_t peer, bool usable, const char* call);
    bool can_access(int32_t device, int32_t peer, const char* call) const;
    // With several devices: begins the pending launches of all devices. Returns when the launches of `wanted` have ended
    // and their messages to other devices have arrived.
    void run_until_ended(AclDevice& wanted);

 private:
    AclDevices();
    SessionOptions options_of(unsigned number) const;
    AclDevice& make(unsigned number);
    void join(AclDevice& device);
    void finish(int status);
    void end_launches(bool all);
    bool run_launches();

    std::mutex mutex_;
    std::unique_ptr<NativeModules> modules_;
    SessionOptions options_;
    std::optional<SystemModel> system_;
    bool has_ranks_ = false;
    uint32_t count_ = 1;
    std::unique_ptr<EventQueue> event_queue_;   // of chips_
    std::vector<std::unique_ptr<Chip>> chips_;  // of devices that are not made yet; empty if there can be only one
    std::vector<Chip*> all_chips_;
    std::map<unsigned, std::unique_ptr<AclDevice>> devices_;  // by number
    std::optional<ChipGroup> group_;
    std::optional<int32_t> number_;  // with ranks: of the device
    HostThreads threads_;
};

}  // namespace ptosim
