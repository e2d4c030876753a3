// Zeroed pages that processes share. They have no name in the file system, and are freed when the last process that
// maps them ends, however it ends.
#pragma once

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>

namespace ptosim {

class SharedPages {
 public:
    SharedPages() = default;
    SharedPages(SharedPages&& other) noexcept
        : file_{std::exchange(other.file_, -1)},
          size_{std::exchange(other.size_, 0)},
          data_{std::exchange(other.data_, nullptr)} {}
    SharedPages& operator=(SharedPages&& other) noexcept {
        std::swap(file_, other.file_);
        std::swap(size_, other.size_);
        std::swap(data_, other.data_);
        return *this;
    }
    ~SharedPages() {
        if (data_ != nullptr) munmap(data_, size_);
        if (file_ >= 0) close(file_);
    }

    // Makes new pages; data() is null if the system has none.
    static SharedPages make(uint64_t size) {
        const int file = memfd_create("ptosim", 0);
        if (file < 0 || ftruncate(file, static_cast<off_t>(size)) != 0) {
            if (file >= 0) close(file);
            return {};
        }
        return SharedPages(file, size);
    }
    // Opens pages that another process has made, by its path(); that process must still map them.
    static SharedPages open(const std::string& path, uint64_t size) {
        const int file = ::open(path.c_str(), O_RDWR | O_CLOEXEC);
        return file < 0 ? SharedPages() : SharedPages(file, size);
    }

    std::byte* data() const { return data_; }
    uint64_t size() const { return size_; }
    int file() const { return file_; }
    std::string path() const {
        return "/proc/" + std::to_string(getpid()) + "/fd/" + std::to_string(file_);
    }

 private:
    SharedPages(int file, uint64_t size) : file_{file}, size_{size} {
        void* const pages = mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
        if (pages != MAP_FAILED) data_ = static_cast<std::byte*>(pages);
    }

    int file_ = -1;
    uint64_t size_ = 0;
    std::byte* data_ = nullptr;
};

}  // namespace ptosim
