#include "sim/memory/global_memory.h"

#include <sys/mman.h>

#include <iterator>

#include "isa/diagnostic.h"

namespace ptosim {
namespace {

constexpr uint64_t kAlignment = 512;  // as the device allocates
constexpr uint64_t kRedZone = 64 * 1024;
// Where the range is put if it is free, so that addresses are the same in every run.
constexpr uint64_t kPreferredBase = uint64_t{0x2000} << 32;

uint64_t round_up(uint64_t value, uint64_t to) { return (value + to - 1) / to * to; }

}  // namespace

GlobalMemory::GlobalMemory(uint64_t capacity) : capacity_{capacity} {
    void* range = mmap(reinterpret_cast<void*>(kPreferredBase), capacity_, PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (range == MAP_FAILED)
        fail_input("I30", "cannot reserve " + std::to_string(capacity_ >> 30) +
                              " GiB of address space for global memory",
                   "raise the limit on virtual memory (ulimit -v)");
    base_ = static_cast<std::byte*>(range);
    next_ = reinterpret_cast<uint64_t>(base_) + kRedZone;
}

GlobalMemory::~GlobalMemory() {
    if (base_ != nullptr) munmap(base_, capacity_);
}

uint64_t GlobalMemory::allocate(uint64_t size, std::string name) {
    const uint64_t end = reinterpret_cast<uint64_t>(base_) + capacity_;
    const uint64_t need = round_up(size, kAlignment) + kRedZone;
    if (size > capacity_ || end - next_ < need)
        fail_input("I30", name + " needs " + std::to_string(size) +
                              " bytes of global memory, more than is left");
    const uint64_t address = next_;
    next_ += round_up(need, kAlignment);
    allocations_[address] = {address, size, std::move(name)};
    return address;
}

bool GlobalMemory::release(uint64_t address) { return allocations_.erase(address) != 0; }

const GlobalMemory::Allocation* GlobalMemory::find(uint64_t address) const {
    auto next = allocations_.upper_bound(address);
    if (next == allocations_.begin()) return nullptr;
    return &std::prev(next)->second;
}

bool GlobalMemory::contains(uint64_t address, uint64_t size) const {
    const Allocation* allocation = find(address);
    return allocation != nullptr && address - allocation->address <= allocation->size &&
           size <= allocation->size - (address - allocation->address);
}

std::string GlobalMemory::describe(uint64_t address) const {
    const Allocation* allocation = find(address);
    if (allocation == nullptr) return "an address that no argument covers";
    return allocation->name + " + " + std::to_string(address - allocation->address);
}

}  // namespace ptosim
