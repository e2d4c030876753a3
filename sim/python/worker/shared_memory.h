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

    // Takes the file, of which so many bytes are used. Throws DiagnosticError (I61) if there is
    // none.
    void take(int file, uint64_t size);
    // Throws DiagnosticError (I61) if it ends before `offset` + `bytes`, or cannot be mapped.
    std::byte* at(uint64_t offset, uint64_t bytes);

    // From now on these bytes of ours are those of the file, without a copy: what is written to
    // them is written to the file if `through`, and else stays here. False, and nothing has
    // happened, if they or those of the file do not begin a page.
    bool lay_over(std::byte* bytes, uint64_t offset, uint64_t size, bool through);

 private:
    void require(uint64_t offset, uint64_t bytes) const;
    void release();

    int file_ = -1;
    std::byte* data_ = nullptr;  // once at() has been called
    uint64_t size_ = 0;
};

}  // namespace ptosim::worker
