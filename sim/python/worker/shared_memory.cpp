#include "sim/python/worker/shared_memory.h"

#include <sys/mman.h>
#include <unistd.h>

#include <string>

#include "isa/diagnostic.h"

namespace ptosim::worker {

void SharedMemory::map(int file, uint64_t size) {
    release();
    void* const mapped =
        file < 0 ? MAP_FAILED : mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    if (file >= 0) close(file);
    if (mapped == MAP_FAILED) fail_input("I61", "the shared memory cannot be mapped");
    data_ = static_cast<std::byte*>(mapped);
    size_ = size;
}

std::byte* SharedMemory::at(uint64_t offset, uint64_t bytes) const {
    if (offset > size_ || bytes > size_ - offset)
        fail_input("I61", std::to_string(bytes) + " bytes from byte " + std::to_string(offset) +
                              " of shared memory of " + std::to_string(size_) + " bytes");
    return data_ + offset;
}

void SharedMemory::release() {
    if (data_ != nullptr) munmap(data_, size_);
    data_ = nullptr;
    size_ = 0;
}

}  // namespace ptosim::worker
