// The platform of a runtime's host library: device memory is the simulated chip's.
#include "host/memory_allocator.h"
#include "ptosim/mpmd.h"

MemoryAllocator::~MemoryAllocator() { finalize(); }

void* MemoryAllocator::alloc(size_t size) {
    void* const memory = ptosim_mpmd_allocate(size);
    if (memory == nullptr) return nullptr;
    const std::scoped_lock lock(mu_);
    ptr_size_map_[memory] = size;
    committed_bytes_ += size;
    return memory;
}

int MemoryAllocator::free(void* memory) {
    const std::scoped_lock lock(mu_);
    const auto found = ptr_size_map_.find(memory);
    if (found == ptr_size_map_.end()) return 0;
    committed_bytes_ -= found->second;
    ptr_size_map_.erase(found);
    ptosim_mpmd_free(memory);
    return 0;
}

int MemoryAllocator::finalize() {
    const std::scoped_lock lock(mu_);
    for (const auto& [memory, size] : ptr_size_map_) ptosim_mpmd_free(memory);
    ptr_size_map_.clear();
    committed_bytes_ = 0;
    return 0;
}

__attribute__((constructor)) static void open_platform() { ptosim_mpmd_open(PTOSIM_PLATFORM_ARCH); }
