// The bytes of one on-chip memory: zero at first, at the start of a page, and taking host memory
// only where they have been written.
#pragma once

#include <sys/mman.h>

#include <cstddef>
#include <new>
#include <utility>

namespace ptosim {

class LocalBuffer {
 public:
    LocalBuffer() = default;
    explicit LocalBuffer(size_t size) : size_{size} {
        if (size == 0) return;
        void* const range = mmap(nullptr, size, PROT_READ | PROT_WRITE,
                                 MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        if (range == MAP_FAILED) throw std::bad_alloc();
        data_ = static_cast<std::byte*>(range);
    }
    ~LocalBuffer() {
        if (data_ != nullptr) munmap(data_, size_);
    }
    LocalBuffer(const LocalBuffer&) = delete;
    LocalBuffer& operator=(const LocalBuffer&) = delete;
    LocalBuffer(LocalBuffer&& other) noexcept { swap(other); }
    LocalBuffer& operator=(LocalBuffer&& other) noexcept {
        swap(other);
        return *this;
    }

    std::byte* data() { return data_; }
    size_t size() const { return size_; }

 private:
    void swap(LocalBuffer& other) {
        std::swap(data_, other.data_);
        std::swap(size_, other.size_);
    }

    std::byte* data_ = nullptr;
    size_t size_ = 0;
};

}  // namespace ptosim
