// Communicators of this process: the local rank of a group of processes, each with a device, and the windows through
// which kernels access the memory of the others.
#pragma once

#include <list>
#include <memory>
#include <string>
#include <vector>

#include "sim/faces/host/device_memory.h"
#include "sim/machine/model/system_model.h"
#include "sim/system/links.h"
#include "sim/system/meeting.h"
#include "sim/system/windows.h"

namespace ptosim {

// Sent by a root to the other ranks: the place of their meeting.
struct RootInfo {
    char mark[16];
    char meeting[256];  // the path of its pages
};

class Communicator {
 public:
    // Joins the meeting and waits for all other ranks. Throws HostError.
    Communicator(const RootInfo& root, unsigned rank, unsigned ranks);

    const std::string& name() const { return name_; }
    unsigned rank() const { return meeting_.rank(); }
    unsigned ranks() const { return meeting_.ranks(); }
    // All ranks must call these. They throw HostError.
    void barrier();
    // The address of the context on the device. The first call makes the windows.
    uint64_t windows(SimulatedDevice& device, DeviceMemory& memory, Windows& mapped);
    // The same for chips with one clock.
    // The chip has made `launches` launches in earlier communicators.
    uint64_t windows(SimulatedDevice& device, DeviceMemory& memory, const SystemModel& system, uint32_t launches);
    // The windows that windows() will make get room for the flags of operators.
    void reserve_flags();
    // The address of the context that kernels of operators read, after windows().
    uint64_t operator_context(SimulatedDevice& device, DeviceMemory& memory);
    // Null without a common clock.
    Links* links() const { return links_.get(); }
    // Releases the resources of windows().
    void end(SimulatedDevice& device, DeviceMemory& memory, Windows& mapped);
    void end_links() { links_.reset(); }

 private:
    template <class Record, class Take>
    void exchange(const Record& record, const Take& take, const char* what);
    template <class Offer>
    std::vector<Offer> offers_of_all(const Offer& mine);
    uint64_t write_context(SimulatedDevice& device, DeviceMemory& memory);
    uint64_t write(SimulatedDevice& device, DeviceMemory& memory,
                   std::span<const std::byte> context);

    SharedPages pages_;
    Meeting meeting_;
    std::string name_;
    std::vector<void*> windows_;  // of the ranks
    std::unique_ptr<Links> links_;
    uint64_t window_bytes_ = 0;
    uint64_t flag_bytes_ = 0;  // of a window, after its data
    uint64_t context_ = 0, operator_context_ = 0;
};

class Communicators {
 public:
    // With a system, chips have one clock, and links take time.
    Communicators(SimulatedDevice& device, DeviceMemory& memory, std::optional<SystemModel> system)
        : device_{device}, memory_{memory}, system_{std::move(system)} {}

    // The pages of a root live until this process ends.
    RootInfo make_root();
    Communicator* join(const RootInfo& root, unsigned rank, unsigned ranks);
    // Throws HostError for an invalid handle.
    Communicator& find(void* handle);
    Communicator& find(const std::string& name);
    uint64_t windows(void* handle);
    uint64_t operator_context(const std::string& name);
    // Links of the communicator that has windows; null without a common clock.
    Links* links() const;
    // The host has written to device memory.
    void host_wrote(const void* to, uint64_t bytes);
    // Traffic on the links of communicators that have ended; recorded only if recordings are made.
    const std::vector<Links::Traffic>& traffic() const { return traffic_; }
    // The others no longer wait for this chip.
    void end_links();
    void destroy(void* handle);
    // Windows of all communicators.
    const Windows& mapped() const { return mapped_; }

 private:
    SimulatedDevice& device_;
    DeviceMemory& memory_;
    void keep_records(const Communicator& communicator);

    const std::optional<SystemModel> system_;
    std::vector<SharedPages> roots_;
    std::list<Communicator> joined_;
    Windows mapped_;
    std::vector<Links::Traffic> traffic_;
    uint32_t launches_ = 0;  // the number of the last one in communicators that have ended
};

}  // namespace ptosim
