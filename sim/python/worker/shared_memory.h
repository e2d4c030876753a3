// Arrays on their way between a device and its caller: a file in memory that both have mapped.
#pragma once

#include <cstddef>
#include <cstdint>

namespace ptosim::worker {

// Shared with the caller for the time of its mapping.
class SharedMemory {
 public:
    SharedMemory() = default;
    ~SharedMemory() { release(); }
    SharedMemory(const SharedMemory&) = delete;
    SharedMemory& operator=(const SharedMemory&) = delete;

    // Takes the file and closes it. Throws DiagnosticError (I61) if it cannot be mapped.
    void map(int file, uint64_t size);
    // Throws DiagnosticError (I61) if it ends before `offset` + `bytes`.
    std::byte* at(uint64_t offset, uint64_t bytes) const;

 private:
    void release();

    std::byte* data_ = nullptr;
    uint64_t size_ = 0;
};

}  // namespace ptosim::worker
