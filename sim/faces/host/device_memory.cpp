#include "sim/faces/host/device_memory.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <iterator>
#include <string_view>

#include "acl/acl.h"
#include "sim/faces/host/host_error.h"
#include "sim/faces/host/streams.h"
#include "sim/native/type_names.h"

namespace ptosim {
namespace {

// Real size of an allocation: whole blocks of 32 bytes and one more, so that transfers in blocks stay inside (CANN,
// aclrtMalloc). The host sees the requested size.
uint64_t device_room(uint64_t size) { return (size + 31) / 32 * 32 + 32; }

// True for a pointer, or one of C++'s numbers.
bool is_one_word(const std::string& type) {
    if (type.ends_with('*')) return true;
    constexpr std::string_view kNumbers[] = {"bool",      "char",           "signed char", "unsigned char",
                                             "short",     "unsigned short", "int",         "unsigned int",
                                             "long",      "unsigned long",  "long long",   "unsigned long long",
                                             "float",     "double",         "_Float16",    "__bf16"};
    return std::ranges::find(kNumbers, type) != std::end(kNumbers);
}

}  // namespace

bool DeviceMemory::on_device(const void* pointer) const {
    return device_.memory().reserves(reinterpret_cast<uint64_t>(pointer));
}

namespace {

// Memories of several devices, which live until the process ends.
std::vector<DeviceMemory*>& joined_memories() {
    static auto& all = *new std::vector<DeviceMemory*>;
    return all;
}

}  // namespace

void DeviceMemory::join(ChipGroup& group, unsigned number) {
    group_ = &group;
    number_ = number;
    joined_memories().push_back(this);
    for (const auto& [address, allocation] : device_.memory().allocations())
        group.add_allocation(number, address, allocation.size);
}

const DeviceMemory& DeviceMemory::owner_of(const void* pointer) const {
    if (on_device(pointer)) return *this;
    for (const DeviceMemory* const other : joined_memories())
        if (other->on_device(pointer)) return *other;
    return *this;
}

DeviceMemory& DeviceMemory::owner_of(const void* pointer) {
    return const_cast<DeviceMemory&>(std::as_const(*this).owner_of(pointer));
}

uint64_t DeviceMemory::allocate(uint64_t size) {
    if (size == 0) throw host_error(ACL_ERROR_RT_PARAM_INVALID, "aclrtMalloc of 0 bytes");
    const unsigned number = ++allocation_count_;
    try {
        const std::string of_device = number_ == 0 ? "" : " of device " + std::to_string(number_);
        const uint64_t address = device_.allocate(size, "device memory " + std::to_string(number) + of_device,
                                                  {.room = device_room(size)});
        allocations_[address] = {size, number};
        if (group_ != nullptr) group_->add_allocation(number_, address, device_room(size));
        allocated_ += size;
        return address;
    } catch (const DiagnosticError& failure) {
        throw HostError{ACL_ERROR_RT_MEMORY_ALLOCATION, failure.diagnostics().front()};
    }
}

void DeviceMemory::release(const void* pointer) {
    if (DeviceMemory& owner = owner_of(pointer); &owner != this) return owner.release(pointer);
    const uint64_t address = reinterpret_cast<uint64_t>(pointer);
    const auto found = allocations_.find(address);
    if (found != allocations_.end()) {
        allocated_ -= found->second.size;
        freed_[address] = found->second.number;
        allocations_.erase(found);
        if (group_ != nullptr) group_->remove_allocation(number_, address);
        device_.release(address);
        return;
    }
    if (const auto* const lent = lent_at(address); lent != nullptr)
        throw host_error(ACL_ERROR_RT_PARAM_INVALID,
                         "aclrtFree: " + hexadecimal(pointer) + " is in " + lent->second.name);
    const auto freed = freed_.find(address);
    if (freed != freed_.end())
        throw host_error(ACL_ERROR_RT_PARAM_INVALID,
                         "aclrtFree: device memory " + std::to_string(freed->second) + " at " +
                             hexadecimal(pointer) + " is already free: a double free");
    if (!on_device(pointer))
        throw host_error(ACL_ERROR_RT_PARAM_INVALID,
                         "aclrtFree: " + hexadecimal(pointer) + " is a host pointer",
                         host_allocations_.contains(pointer) ? "free it with aclrtFreeHost" : "");
    throw host_error(ACL_ERROR_RT_PARAM_INVALID, "aclrtFree: " + device_.memory().describe(address) +
                                                     " is not the start of an allocation");
}

void DeviceMemory::release_later(const void* pointer) {
    if (DeviceMemory& owner = owner_of(pointer); &owner != this) return owner.release_later(pointer);
    const auto found = allocations_.find(reinterpret_cast<uint64_t>(pointer));
    if (found == allocations_.end()) return release(pointer);
    delayed_.push_back(pointer);
    held_ += found->second.size;
}

void DeviceMemory::release_delayed() {
    for (const void* const pointer : std::exchange(delayed_, {})) release(pointer);
    held_ = 0;
}

void* DeviceMemory::allocate_host(uint64_t size) {
    if (size == 0) throw host_error(ACL_ERROR_RT_PARAM_INVALID, "aclrtMallocHost of 0 bytes");
    void* pointer = nullptr;
    if (posix_memalign(&pointer, 64, size) != 0)
        throw host_error(ACL_ERROR_RT_MEMORY_ALLOCATION,
                         "aclrtMallocHost: no " + std::to_string(size) + " bytes of host memory");
    host_allocations_[pointer] = size;
    return pointer;
}

void DeviceMemory::release_host(const void* pointer) {
    const auto found = host_allocations_.find(pointer);
    if (found == host_allocations_.end()) {
        const bool device = is_device_pointer(pointer);
        throw host_error(ACL_ERROR_RT_PARAM_INVALID,
                         "aclrtFreeHost: " + hexadecimal(pointer) +
                             (device ? " is a device pointer"
                                     : " is not from aclrtMallocHost, or has been freed before"),
                         device ? "free it with aclrtFree" : "");
    }
    std::free(const_cast<void*>(found->first));
    host_allocations_.erase(found);
}

bool DeviceMemory::is_pageable(const void* pointer) const {
    if (is_device_pointer(pointer)) return false;
    const auto next = host_allocations_.upper_bound(pointer);
    if (next == host_allocations_.begin()) return true;
    const auto& [begin, size] = *std::prev(next);
    return static_cast<const std::byte*>(pointer) - static_cast<const std::byte*>(begin) >= static_cast<int64_t>(size);
}

void DeviceMemory::check_range(const void* pointer, uint64_t count,
                               const std::string& what) const {
    if (const DeviceMemory& owner = owner_of(pointer); &owner != this) return owner.check_range(pointer, count, what);
    const uint64_t address = reinterpret_cast<uint64_t>(pointer);
    if (!on_device(pointer))
        throw host_error(ACL_ERROR_RT_PARAM_INVALID,
                         what + " " + hexadecimal(pointer) + " is not a device pointer",
                         "allocate it with aclrtMalloc, or pass the actual direction of the copy");
    const auto outside = [&](uint64_t size, const std::string& where) {
        return host_error(ACL_ERROR_RT_PARAM_INVALID, what + ": " + std::to_string(count) + " bytes at " + where +
                                                          " are outside of its " + std::to_string(size) + " bytes");
    };
    if (const auto* const lent = lent_at(address); lent != nullptr) {
        if (lent->second.elsewhere)
            throw host_error(ACL_ERROR_RT_PARAM_INVALID, what + " is in " + lent->second.name + ", on another chip",
                             "a host copies memory of its own device");
        const uint64_t offset = address - lent->first;
        if (count <= lent->second.size - offset) return;
        throw outside(lent->second.size, lent->second.name + " + " + std::to_string(offset));
    }
    const auto after = allocations_.upper_bound(address);
    const bool found = after != allocations_.begin() && device_.memory().find(address) != nullptr;
    const uint64_t size = found ? std::prev(after)->second.size : 0;
    const uint64_t offset = found ? address - std::prev(after)->first : 0;
    if (offset > size || count > size - offset)
        throw outside(size, device_.memory().describe(address));
}

void DeviceMemory::lend(const void* begin, uint64_t size, std::string name, bool elsewhere) {
    lent_[reinterpret_cast<uint64_t>(begin)] = {size, std::move(name), elsewhere};
}

const std::pair<const uint64_t, DeviceMemory::Lent>* DeviceMemory::lent_at(uint64_t address) const {
    const auto after = lent_.upper_bound(address);
    if (after == lent_.begin()) return nullptr;
    const auto& found = *std::prev(after);
    return address - found.first < found.second.size ? &found : nullptr;
}

// Orders a copy (or a set, without `read`) after earlier work, and later work after it.
void DeviceMemory::order_access(const char* what, std::optional<void*> stream, const void* read,
                                const void* written, uint64_t count) {
    check::HostOrder* const order = order_of(device_);
    if (order == nullptr || count == 0) return;
    if (stream) order->begin(*stream, what, {});
    for (const void* pointer : {read, written}) {
        if (pointer == nullptr || !on_device(pointer)) continue;
        const uint64_t address = reinterpret_cast<uint64_t>(pointer);
        if (stream)
            order->touch({address, count, 0, 1}, pointer == written);
        else
            order->access(what, address, count, pointer == written);
    }
    if (stream) order->end();
}

void DeviceMemory::copy(void* to, uint64_t room, const void* from, uint64_t count, int kind,
                        std::optional<void*> stream) {
    if (to == nullptr || from == nullptr)
        throw host_error(ACL_ERROR_RT_PARAM_INVALID, "aclrtMemcpy with a null pointer");
    if (count > room)
        throw host_error(ACL_ERROR_RT_PARAM_INVALID, "aclrtMemcpy of " + std::to_string(count) +
                                                         " bytes into " + std::to_string(room));
    if (kind < ACL_MEMCPY_HOST_TO_HOST || kind > ACL_MEMCPY_DEFAULT)
        throw host_error(ACL_ERROR_RT_PARAM_INVALID,
                         "aclrtMemcpy: no kind " + std::to_string(kind));
    const auto check = [&](const void* pointer, bool device, const std::string& what) {
        if (device) return check_range(pointer, count, "aclrtMemcpy: its " + what);
        if (is_device_pointer(pointer))
            throw host_error(ACL_ERROR_RT_PARAM_INVALID,
                             "aclrtMemcpy: its " + what + " is a device pointer (" +
                                 device_.memory().describe(reinterpret_cast<uint64_t>(pointer)) +
                                 "), but the kind of the copy declares host memory");
        const auto after = host_allocations_.upper_bound(pointer);
        if (after == host_allocations_.begin()) return;
        const auto& [begin, size] = *std::prev(after);
        const uint64_t offset = static_cast<uint64_t>(static_cast<const std::byte*>(pointer) -
                                                      static_cast<const std::byte*>(begin));
        if (offset < size && count > size - offset)
            throw host_error(ACL_ERROR_RT_PARAM_INVALID,
                             "aclrtMemcpy: " + std::to_string(count) + " bytes of its " + what +
                                 " are more than aclrtMallocHost gave (" + std::to_string(size) +
                                 ")");
    };
    const bool given = kind != ACL_MEMCPY_DEFAULT;
    check(to,
          given ? kind == ACL_MEMCPY_HOST_TO_DEVICE || kind == ACL_MEMCPY_DEVICE_TO_DEVICE
                : is_device_pointer(to),
          "destination");
    check(from,
          given ? kind == ACL_MEMCPY_DEVICE_TO_HOST || kind == ACL_MEMCPY_DEVICE_TO_DEVICE
                : is_device_pointer(from),
          "source");
    DeviceMemory &source = owner_of(from), &target = owner_of(to);
    const char* const what = stream ? "aclrtMemcpyAsync" : "aclrtMemcpy";
    order_access(what, stream, from, to, count);
    // Another device's checkers follow its own work: for them the host copies at once.
    for (DeviceMemory* const other : {&source, &target})
        if (other != this) other->order_access(what, {}, from, to, count);
    const Opened opened_source(source.device_.memory(), {from}), opened_target(target.device_.memory(), {to});
    std::memmove(to, from, count);
    source.device_.host_read(from, count);
    target.device_.host_wrote(to, count);
}

void DeviceMemory::set(void* to, uint64_t room, int value, uint64_t count,
                       std::optional<void*> stream) {
    if (DeviceMemory& owner = owner_of(to); &owner != this) return owner.set(to, room, value, count);
    if (count > room)
        throw host_error(ACL_ERROR_RT_PARAM_INVALID, "aclrtMemset of " + std::to_string(count) +
                                                         " bytes into " + std::to_string(room));
    if (on_device(to) || to == nullptr) check_range(to, count, "aclrtMemset:");
    order_access(stream ? "aclrtMemsetAsync" : "aclrtMemset", stream, nullptr, to, count);
    const Opened opened(device_.memory(), {to});
    std::memset(to, value, count);
    device_.host_wrote(to, count);
}

std::optional<Diagnostic> DeviceMemory::leaks() {
    release_delayed();
    if (leaks_reported_ || allocations_.empty()) return std::nullopt;
    leaks_reported_ = true;
    Diagnostic d;
    d.code = "H24";
    d.category = Category::kInput;
    d.message =
        std::to_string(allocations_.size()) + " allocations of device memory have not been freed";
    for (const auto& [address, allocation] : allocations_) {
        if (d.notes.size() == 10) break;
        d.notes.push_back("device memory " + std::to_string(allocation.number) + ": " +
                          std::to_string(allocation.size) + " bytes (the " +
                          std::to_string(allocation.number) + ". aclrtMalloc of the process)");
    }
    d.hint = "call aclrtFree for each of them";
    return d;
}

uint64_t DeviceMemory::control_address() {
    if (control_ == 0) control_ = device_.memory().allocate(4096, "cross-core control");
    return control_;
}

void DeviceMemory::check_arguments(const ptosim_launch_request& request) const {
    uint64_t count = 0;
    while (request.types[count] != nullptr) ++count;
    // A structure takes several words, so only arguments before the first and after the last structure have a known
    // position.
    const bool has_structures = count != request.word_count;
    uint64_t checked = 0;
    for (; checked < count && checked < request.word_count; ++checked) {
        const std::string type = readable_type(request.types[checked]);
        if (has_structures && !is_one_word(type)) break;
        check_argument(request, checked, type, request.words[checked]);
    }
    if (!has_structures) return;
    for (uint64_t last = 1; count - last > checked && last <= request.word_count; ++last) {
        const std::string type = readable_type(request.types[count - last]);
        if (!is_one_word(type)) break;
        check_argument(request, count - last, type, request.words[request.word_count - last]);
    }
}

void DeviceMemory::check_argument(const ptosim_launch_request& request, uint64_t number, const std::string& type,
                                  uint64_t word) const {
    if (!type.ends_with('*')) return;
    const void* pointer = reinterpret_cast<const void*>(word);
    if (pointer == nullptr || device_.memory().contains(word, 0)) return;
    const std::string argument = std::string("kernel ") + request.name + ": argument " +
                                 std::to_string(number) + " (" + type + ")";
    if (!is_device_pointer(pointer))
        throw host_error(ACL_ERROR_RT_PARAM_INVALID, argument + " is a host pointer, " + hexadecimal(pointer),
                         "a kernel takes device memory: aclrtMalloc and aclrtMemcpy", "H21");
    const DeviceMemory& owner = owner_of(pointer);
    if (&owner != this && !group_->has_access(number_, owner.number_))
        throw host_error(ACL_ERROR_RT_PARAM_INVALID,
                         argument + " points to memory of device " + std::to_string(owner.number_) +
                             ", and device " + std::to_string(number_) + " has no access to it",
                         "call aclrtDeviceEnablePeerAccess(" + std::to_string(owner.number_) + ", 0) on device " +
                             std::to_string(number_),
                         "H21");
    const GlobalMemory::Allocation* found = device_.memory().find(word);
    const GlobalMemory::Allocation* was = device_.memory().freed(word);
    throw host_error(ACL_ERROR_RT_PARAM_INVALID,
                     argument + " points to device memory that is not allocated" +
                         (was != nullptr     ? ": " + was->name + " has been freed"
                          : found != nullptr ? ", behind " + found->name
                                             : std::string()),
                     {}, "H21");
}

}  // namespace ptosim
