// Bytes of on-chip memories: zero at first, aligned to pages, and backed by host memory only where written.
#pragma once

#include <sys/mman.h>

#include <cstddef>
#include <cstdint>
#include <new>

namespace ptosim {

struct LocalBuffer {
    std::byte* data = nullptr;
    size_t size = 0;
};

// The memories of a chip, contiguous so that the host may use large pages.
class LocalMemory {
 public:
    // Room for at most `buffers` buffers of `bytes` bytes in total.
    LocalMemory(size_t bytes, size_t buffers) : size_{bytes + buffers * kPage + 2 * kLargePage} {
        void* const range = mmap(nullptr, size_, PROT_READ | PROT_WRITE,
                                 MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        if (range == MAP_FAILED) throw std::bad_alloc();
        range_ = static_cast<std::byte*>(range);
        const auto begin = reinterpret_cast<uintptr_t>(range);
        next_ = range_ + ((begin + kLargePage - 1) / kLargePage * kLargePage - begin);
        madvise(range_, size_, MADV_HUGEPAGE);  // a hint
    }
    ~LocalMemory() { munmap(range_, size_); }
    LocalMemory(const LocalMemory&) = delete;
    LocalMemory& operator=(const LocalMemory&) = delete;

    LocalBuffer take(size_t size) {
        const LocalBuffer buffer{next_, size};
        next_ += (size + kPage - 1) / kPage * kPage;
        return buffer;
    }

 private:
    static constexpr size_t kPage = 4096;
    static constexpr size_t kLargePage = 2 << 20;
    size_t size_;
    std::byte* range_ = nullptr;
    std::byte* next_ = nullptr;
};

}  // namespace ptosim
