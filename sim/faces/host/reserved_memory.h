// Reserved ranges of addresses, and memory that hosts map to them (aclrtReserveMemAddress,
// aclrtMapMem). A range has room from its reservation on; maps decide whose bytes are in it.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "sim/faces/host/device_memory.h"

namespace ptosim {

// The calls throw HostError.
class ReservedMemory {
 public:
    // Sizes are multiples of it.
    static constexpr uint64_t kGranularity = 2 << 20;

    uint64_t reserve(DeviceMemory& memory, uint64_t bytes);
    void release(DeviceMemory& memory, uint64_t range);
    // Returns a handle.
    uint64_t make(uint64_t bytes);
    void free(uint64_t handle);
    void map(DeviceMemory& memory, uint64_t range, uint64_t bytes, uint64_t handle);
    void unmap(uint64_t range);

 private:
    struct Range {
        uint64_t bytes = 0, mapped = 0;  // the handle; 0: none
        uint64_t last = 0;               // the handle whose bytes are still here
    };
    struct Physical {
        uint64_t bytes = 0, range = 0;  // mapped to it; 0: none
        uint64_t last = 0;              // the range that has its bytes; 0: none, or `kept`
        std::vector<char> kept;
    };
    Range& range_at(uint64_t address, const char* call);
    Physical& physical(uint64_t handle, const char* call);
    void keep(DeviceMemory& memory, uint64_t address, Range& range);

    std::map<uint64_t, Range> ranges_;
    std::map<uint64_t, Physical> made_;
    uint64_t count_ = 0;
};

}  // namespace ptosim
