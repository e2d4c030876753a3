// The memory that acl calls allocate, copy and free: device memory, and pinned memory of the host.
#pragma once

#include <initializer_list>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "ptosim/launch.h"
#include "sim/session/simulated_device.h"
#include "sim/system/chip_group.h"

namespace ptosim {

// Makes device memory usable for the lifetime of the object: all of it, or only the allocations that contain these
// bytes. The latter is faster for programs with thousands of allocations, because each takes a system call.
class Opened {
 public:
    explicit Opened(GlobalMemory& memory) : memory_{memory}, all_{true} { memory_.open(); }
    Opened(GlobalMemory& memory, std::initializer_list<const void*> pointers) : memory_{memory} {
        for (const void* const pointer : pointers)
            if (const auto address = reinterpret_cast<uint64_t>(pointer);
                memory.reserves(address)) {
                memory.open(address);
                opened_.push_back(address);
            }
    }
    ~Opened() {
        if (all_) memory_.close();
        for (const uint64_t address : opened_) memory_.close(address);
    }
    Opened(const Opened&) = delete;
    Opened& operator=(const Opened&) = delete;

 private:
    GlobalMemory& memory_;
    bool all_ = false;
    std::vector<uint64_t> opened_;
};

// The calls throw HostError.
class DeviceMemory {
 public:
    explicit DeviceMemory(SimulatedDevice& device) : device_{device} {}
    // From now on this is the memory of one of several devices of the process, which hosts copy and free on any of
    // them.
    void join(ChipGroup& group, unsigned number);

    uint64_t allocate(uint64_t size);
    void release(const void* pointer);
    // Releases the memory by release_delayed(); until then kernels may use it.
    void release_later(const void* pointer);
    bool has_delayed() const { return !delayed_.empty(); }
    void release_delayed();
    void* allocate_host(uint64_t size);
    void release_host(const void* pointer);
    // Memory of the host that allocate_host has not made.
    bool is_pageable(const void* pointer) const;
    // `stream`: does the work; empty: the host itself does it before it continues.
    void copy(void* to, uint64_t room, const void* from, uint64_t count, int kind,
              std::optional<void*> stream = {});
    void set(void* to, uint64_t room, int value, uint64_t count, std::optional<void*> stream = {});
    void check_range(const void* pointer, uint64_t count, const std::string& what) const;
    // Pointers must refer to allocated device memory.
    void check_arguments(const ptosim_launch_request& request) const;
    // Memory of the runtime that hosts may copy from and to, and not free, until take_back(). `elsewhere`: memory of
    // another chip, which hosts may not copy either.
    void lend(const void* begin, uint64_t size, std::string name, bool elsewhere = false);
    void take_back(const void* begin) { lent_.erase(reinterpret_cast<uint64_t>(begin)); }
    uint64_t allocated() const { return allocated_ - held_; }
    // The address of rtGetC2cCtrlAddr.
    uint64_t control_address();
    // Reports allocations that have not been freed, once.
    std::optional<Diagnostic> leaks();

 private:
    struct Lent {
        uint64_t size = 0;
        std::string name;
        bool elsewhere = false;
    };
    void check_argument(const ptosim_launch_request& request, uint64_t number, const std::string& type,
                        uint64_t word) const;
    bool on_device(const void* pointer) const;
    // The memory of the device with that address; of this one if there is none.
    DeviceMemory& owner_of(const void* pointer);
    const DeviceMemory& owner_of(const void* pointer) const;
    bool is_device_pointer(const void* pointer) const { return owner_of(pointer).on_device(pointer); }
    const std::pair<const uint64_t, Lent>* lent_at(uint64_t address) const;
    void order_access(const char* what, std::optional<void*> stream, const void* read,
                      const void* written, uint64_t count);

    SimulatedDevice& device_;
    ChipGroup* group_ = nullptr;
    unsigned number_ = 0;
    struct Allocation {
        uint64_t size = 0;
        unsigned number = 0;  // number of the call
    };
    std::map<uint64_t, Allocation> allocations_;
    std::map<uint64_t, unsigned> freed_;  // by address: number of the call
    std::vector<const void*> delayed_;
    std::map<const void*, uint64_t> host_allocations_;
    std::map<uint64_t, Lent> lent_;  // by address
    uint64_t allocated_ = 0, held_ = 0;  // held_: of delayed_
    unsigned allocation_count_ = 0;
    bool leaks_reported_ = false;
    uint64_t control_ = 0;
};

}  // namespace ptosim
