// Transfers arrays between a device and its caller through a file in memory that both map.
#pragma once

#include <cstddef>
#include <cstdint>

namespace ptosim::worker {

// Memory shared with the caller while it is mapped.
class SharedMemory {
 public:
    SharedMemory() = default;
    ~SharedMemory() { release(); }
    SharedMemory(const SharedMemory&) = delete;
    SharedMemory& operator=(const SharedMemory&) = delete;

    // Takes the file, of which `size` bytes are used. Throws DiagnosticError (I61) if there is none.
    void take(int file, uint64_t size);
    // Throws DiagnosticError (I61) if the file ends before `offset` + `bytes`, or cannot be mapped.
    std::byte* at(uint64_t offset, uint64_t bytes);

    // Replaces these bytes by bytes of the file, without a copy. Writes to them go to the file if `through`, else they
    // stay in this process. Returns false, without effect, unless both begin at a page.
    bool lay_over(std::byte* bytes, uint64_t offset, uint64_t size, bool through);

 private:
    void require(uint64_t offset, uint64_t bytes) const;
    void release();

    int file_ = -1;
    std::byte* data_ = nullptr;  // after the first call of at()
    uint64_t size_ = 0;
};

}  // namespace ptosim::worker
