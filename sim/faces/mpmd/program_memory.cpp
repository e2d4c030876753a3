#include "sim/faces/mpmd/program_memory.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>

namespace ptosim::mpmd {
namespace {

// If reads of unwritten memory are checked, allocations are filled with this byte. A different byte was stored, even if
// no checker has seen the store. Larger allocations are heaps of a runtime.
constexpr std::byte kPoison{0xA5};
constexpr uint64_t kMostPoisoned = uint64_t{64} << 20;

}  // namespace

void* ProgramMemory::allocate(uint64_t size) {
    const uint64_t taken = std::max<uint64_t>(size, 1);
    {
        const auto held = queue_.hold();
        if (queue_.running()) {
            void* bytes = nullptr;
            if (posix_memalign(&bytes, 512, taken) != 0) return nullptr;
            std::memset(bytes, 0, size);
            on_host_.insert(bytes);
            return bytes;
        }
    }
    const uint64_t address = session_.memory().allocate(taken, "device memory");
    std::byte* const bytes = GlobalMemory::host(address);
    if (check::Checkers* const checkers = session_.checkers(); checkers != nullptr) {
        const bool poisoned = session_.settings().checks.has("init") && size <= kMostPoisoned;
        if (poisoned) std::memset(bytes, static_cast<int>(kPoison), size);
        checkers->host_allocates(address, size, "device memory",
                                 poisoned ? kPoison : std::byte{});
        if (!poisoned) checkers->host_writes(bytes, size);
    }
    return bytes;
}

void ProgramMemory::release(void* memory) {
    const auto held = queue_.hold();
    if (on_host_.erase(memory) != 0) return std::free(memory);
    if (queue_.running()) return;  // addresses are not reused in any case
    const auto address = reinterpret_cast<uint64_t>(memory);
    if (cache_ != nullptr) cache_->release(address);
    session_.memory().release(address);
}

void* ProgramMemory::map(uint64_t size, int file) {
    const auto held = queue_.hold();
    if (queue_.running()) return nullptr;
    void* const window = windows_.map(session_.memory(), size, file);
    if (check::Checkers* const checkers = session_.checkers();
        window != nullptr && checkers != nullptr) {
        checkers->host_allocates(reinterpret_cast<uint64_t>(window), size, "window", std::byte{});
        checkers->host_writes(window, size);
    }
    return window;
}

void ProgramMemory::unmap(void* window) {
    const auto held = queue_.hold();
    if (queue_.running()) return;
    if (cache_ != nullptr) cache_->release(reinterpret_cast<uint64_t>(window));
    windows_.unmap(session_.memory(), window);
}

}  // namespace ptosim::mpmd
