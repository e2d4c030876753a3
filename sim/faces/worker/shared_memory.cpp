#include "sim/faces/worker/shared_memory.h"

#include <sys/mman.h>
#include <unistd.h>

#include <string>

#include "isa/core/diagnostic.h"
#include "sim/faces/worker/pages.h"

namespace ptosim::worker {

void SharedMemory::take(int file, uint64_t size) {
    release();
    if (file < 0) fail_input("I61", "no file came with the request for shared memory");
    file_ = file;
    size_ = size;
}

void SharedMemory::require(uint64_t offset, uint64_t bytes) const {
    if (offset > size_ || bytes > size_ - offset)
        fail_input("I61", std::to_string(bytes) + " bytes from byte " + std::to_string(offset) +
                              " of shared memory of " + std::to_string(size_) + " bytes");
}

std::byte* SharedMemory::at(uint64_t offset, uint64_t bytes) {
    require(offset, bytes);
    if (data_ == nullptr) {
        void* const mapped =
            mmap(nullptr, size_, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_POPULATE, file_, 0);
        if (mapped == MAP_FAILED) fail_input("I61", "the shared memory cannot be mapped");
        data_ = static_cast<std::byte*>(mapped);
    }
    return data_ + offset;
}

bool SharedMemory::lay_over(std::byte* bytes, uint64_t offset, uint64_t size, bool through) {
    require(offset, size);
    if (!begins_page(reinterpret_cast<uint64_t>(bytes)) || !begins_page(offset)) return false;
    void* const mapped = mmap(bytes, size, PROT_READ | PROT_WRITE,
                              MAP_FIXED | MAP_NORESERVE | (through ? MAP_SHARED : MAP_PRIVATE),
                              file_, static_cast<off_t>(offset));
    if (mapped == MAP_FAILED) fail_input("I61", "the shared memory cannot be mapped");
    if (through)
        prepare_pages(bytes, size);
    else
        prepare_reads(bytes, size);
    return true;
}

void SharedMemory::release() {
    if (data_ != nullptr) munmap(data_, size_);
    if (file_ >= 0) close(file_);
    data_ = nullptr;
    file_ = -1;
    size_ = 0;
}

}  // namespace ptosim::worker
