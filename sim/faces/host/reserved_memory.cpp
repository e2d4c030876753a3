#include "sim/faces/host/reserved_memory.h"

#include <string>

#include "acl/acl.h"
#include "sim/faces/host/host_error.h"

namespace ptosim {
namespace {

HostError refused(const char* call, std::string what, std::string hint = {}) {
    return host_error(ACL_ERROR_RT_PARAM_INVALID, std::string(call) + ": " + std::move(what),
                      std::move(hint));
}

void require_whole(const char* call, uint64_t bytes) {
    if (bytes == 0 || bytes % ReservedMemory::kGranularity != 0)
        throw refused(call, std::to_string(bytes) + " bytes",
                      "a multiple of aclrtMemGetAllocationGranularity: " +
                          std::to_string(ReservedMemory::kGranularity));
}

void* pointer(uint64_t address) { return reinterpret_cast<void*>(address); }

}  // namespace

ReservedMemory::Range& ReservedMemory::range_at(uint64_t address, const char* call) {
    const auto found = ranges_.find(address);
    if (found == ranges_.end())
        throw refused(call,
                      hexadecimal(pointer(address)) +
                          " is not the start of a range that aclrtReserveMemAddress has made");
    return found->second;
}

ReservedMemory::Physical& ReservedMemory::physical(uint64_t handle, const char* call) {
    const auto found = made_.find(handle);
    if (found == made_.end())
        throw refused(call, "the handle is not one of aclrtMallocPhysical, or was freed");
    return found->second;
}

uint64_t ReservedMemory::reserve(DeviceMemory& memory, uint64_t bytes) {
    require_whole("aclrtReserveMemAddress", bytes);
    const uint64_t address = memory.allocate(bytes);
    ranges_[address] = {.bytes = bytes};
    return address;
}

void ReservedMemory::release(DeviceMemory& memory, uint64_t range) {
    Range& released = range_at(range, "aclrtReleaseMemAddress");
    if (released.mapped != 0)
        throw refused("aclrtReleaseMemAddress", "memory is mapped to the range", "aclrtUnmapMem");
    keep(memory, range, released);
    ranges_.erase(range);
    memory.release(pointer(range));
}

uint64_t ReservedMemory::make(uint64_t bytes) {
    require_whole("aclrtMallocPhysical", bytes);
    made_[++count_].bytes = bytes;
    return count_;
}

void ReservedMemory::free(uint64_t handle) {
    Physical& freed = physical(handle, "aclrtFreePhysical");
    if (freed.range != 0)
        throw refused("aclrtFreePhysical", "the memory is mapped", "aclrtUnmapMem");
    if (freed.last != 0) ranges_[freed.last].last = 0;
    made_.erase(handle);
}

void ReservedMemory::map(DeviceMemory& memory, uint64_t range, uint64_t bytes, uint64_t handle) {
    Range& to = range_at(range, "aclrtMapMem");
    Physical& from = physical(handle, "aclrtMapMem");
    if (to.mapped != 0)
        throw refused("aclrtMapMem", "memory is mapped to the range already", "aclrtUnmapMem");
    if (from.range != 0)
        throw refused("aclrtMapMem", "the memory is mapped to another range", "aclrtUnmapMem");
    if (bytes != from.bytes || bytes > to.bytes)
        throw refused("aclrtMapMem", std::to_string(bytes) + " bytes, but the handle has " +
                                         std::to_string(from.bytes) + " and the range " +
                                         std::to_string(to.bytes));
    if (to.last != handle) keep(memory, range, to);
    if (from.last != 0 && from.last != range) {
        memory.copy(pointer(range), bytes, pointer(from.last), bytes, ACL_MEMCPY_DEVICE_TO_DEVICE);
        ranges_[from.last].last = 0;
    } else if (!from.kept.empty()) {
        memory.copy(pointer(range), bytes, from.kept.data(), bytes, ACL_MEMCPY_HOST_TO_DEVICE);
    }
    from.kept = {};
    from.last = to.last = 0;
    from.range = range;
    to.mapped = handle;
}

void ReservedMemory::unmap(uint64_t range) {
    Range& from = range_at(range, "aclrtUnmapMem");
    if (from.mapped == 0) throw refused("aclrtUnmapMem", "no memory is mapped to the range");
    Physical& left = made_[from.mapped];
    left.range = 0;
    left.last = range;
    from.last = from.mapped;
    from.mapped = 0;
}

// The bytes of memory that is not mapped now leave its last range.
void ReservedMemory::keep(DeviceMemory& memory, uint64_t address, Range& range) {
    if (range.last == 0) return;
    Physical& owner = made_[range.last];
    owner.kept.resize(owner.bytes);
    memory.copy(owner.kept.data(), owner.bytes, pointer(address), owner.bytes,
                ACL_MEMCPY_DEVICE_TO_HOST);
    owner.last = range.last = 0;
}

}  // namespace ptosim
