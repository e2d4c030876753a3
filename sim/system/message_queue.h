// Messages from one process to another: a ring of bytes in shared pages. One process pushes, the other takes.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <cstring>
#include <span>
#include <vector>

namespace ptosim {

// Lies in the shared pages; zeroed pages are an empty ring.
struct RingPages {
    static constexpr uint64_t kBytes = 2 << 20;
    alignas(64) std::atomic<uint64_t> pushed;  // bytes so far
    alignas(64) std::atomic<uint64_t> taken;
    alignas(64) std::byte bytes[kBytes];
};

class MessageQueue {
 public:
    // The most bytes of a message, which is preceded by its size.
    static constexpr uint64_t kMost = RingPages::kBytes - sizeof(uint64_t);

    explicit MessageQueue(RingPages& pages) : pages_{&pages} {}

    // Returns false if the queue is full at present.
    bool push(std::span<const std::byte> message) {
        const uint64_t at = pages_->pushed.load(std::memory_order_relaxed);
        const uint64_t size = message.size(), need = sizeof size + size;
        if (at + need - pages_->taken.load(std::memory_order_acquire) > RingPages::kBytes) return false;
        put(at, std::as_bytes(std::span(&size, 1)));
        put(at + sizeof size, message);
        pages_->pushed.store(at + need, std::memory_order_release);
        return true;
    }
    // Empty if the queue is.
    std::vector<std::byte> take() {
        const uint64_t at = pages_->taken.load(std::memory_order_relaxed);
        if (pages_->pushed.load(std::memory_order_acquire) == at) return {};
        uint64_t size = 0;
        get(at, std::as_writable_bytes(std::span(&size, 1)));
        std::vector<std::byte> message(size);
        get(at + sizeof size, message);
        pages_->taken.store(at + sizeof size + size, std::memory_order_release);
        return message;
    }

 private:
    void put(uint64_t at, std::span<const std::byte> bytes) {
        const uint64_t begin = at % RingPages::kBytes, first = std::min(bytes.size(), RingPages::kBytes - begin);
        std::memcpy(pages_->bytes + begin, bytes.data(), first);
        std::memcpy(pages_->bytes, bytes.data() + first, bytes.size() - first);
    }
    void get(uint64_t at, std::span<std::byte> bytes) const {
        const uint64_t begin = at % RingPages::kBytes, first = std::min(bytes.size(), RingPages::kBytes - begin);
        std::memcpy(bytes.data(), pages_->bytes + begin, first);
        std::memcpy(bytes.data() + first, pages_->bytes, bytes.size() - first);
    }

    RingPages* pages_;
};

}  // namespace ptosim
