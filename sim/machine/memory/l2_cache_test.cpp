#include "sim/machine/memory/l2_cache.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <deque>
#include <map>
#include <random>

namespace ptosim {
namespace {

// The same cache, sector by sector.
struct PlainCache {
    explicit PlainCache(size_t windows) : capacity{windows} {}

    struct Window {
        std::array<bool, 4> there{}, left{};
        bool written = false;
        bool held() const { return std::count(there.begin(), there.end(), true) > 0; }
    };
    size_t capacity;
    std::map<uint64_t, Window> windows;
    std::deque<uint64_t> order;
    L2Cache::Traffic traffic;

    void make_room() {
        if (order.size() < capacity) return;
        Window& oldest = windows[order.front()];
        order.pop_front();
        for (size_t s = 0; s < 4; ++s) {
            if (oldest.there[s] && oldest.written) traffic.written_back += L2Cache::kSector;
            oldest.left[s] = oldest.left[s] || oldest.there[s];
        }
        oldest.there = {};
        oldest.written = false;
    }
    void row(uint64_t address, uint64_t size, bool write) {
        ++traffic.rows;
        const uint64_t first = address / L2Cache::kSector;
        const uint64_t last = (address + size - 1) / L2Cache::kSector;
        traffic.windows_entered += last / 4 - first / 4 + 1 - (size + 511) / 512;
        for (uint64_t number = first / 4; number <= last / 4; ++number) {
            Window& window = windows[number];
            const bool held = window.held();
            for (uint64_t s = std::max(first, 4 * number); s <= std::min(last, 4 * number + 3); ++s) {
                const bool hit = write || window.there[s % 4];
                (hit ? traffic.hit_bytes : traffic.miss_bytes) += L2Cache::kSector;
                if (!hit && window.left[s % 4]) traffic.again_bytes += L2Cache::kSector;
            }
            if (!held) {
                make_room();
                order.push_back(number);
            }
            for (uint64_t s = std::max(first, 4 * number); s <= std::min(last, 4 * number + 3); ++s)
                window.there[s % 4] = true;
            window.written = window.written || write;
        }
    }
};

TEST_CASE("random rows meet what a plain cache counts") {
    std::mt19937 random{1};
    const auto upto = [&random](unsigned n) { return random() % n; };
    for (const unsigned capacity : {16U, 300U, 5000U}) {
        L2Cache l2(capacity * L2Cache::kWindow);
        PlainCache plain(capacity);
        for (unsigned i = 0; i < 4000; ++i) {
            const uint64_t stride = std::array{512U, 4096U, 24576U, 384U, 200U, 1U << 20}[upto(6)];
            // Some pages that share a slot among the recent ones.
            const uint64_t address = uint64_t{upto(3)} * (1024 * 1024 * 1024ULL) + upto(40) * 128U * upto(600);
            const uint64_t size = 1 + upto(std::array{40U, 512U, 2000U}[upto(3)]), count = 1 + upto(20);
            const bool write = upto(4) == 0;
            l2.rows(address, size, static_cast<int64_t>(stride), count,
                    write ? L2Cache::Access::kWrite : L2Cache::Access::kRead);
            for (uint64_t row = 0; row < count; ++row) plain.row(address + row * stride, size, write);
            const L2Cache::Traffic traffic = l2.take();
            REQUIRE(traffic.hit_bytes == plain.traffic.hit_bytes);
            REQUIRE(traffic.miss_bytes == plain.traffic.miss_bytes);
            REQUIRE(traffic.again_bytes == plain.traffic.again_bytes);
            REQUIRE(traffic.written_back == plain.traffic.written_back);
            REQUIRE(traffic.rows == plain.traffic.rows);
            REQUIRE(traffic.windows_entered == plain.traffic.windows_entered);
            plain.traffic = {};
        }
    }
}

TEST_CASE("what has been read or written is there") {
    L2Cache l2(1 << 20);
    l2.row(0, 1024, L2Cache::Access::kRead);
    CHECK(l2.take().miss_bytes == 1024);
    l2.row(0, 1024, L2Cache::Access::kRead);
    CHECK(l2.take().hit_bytes == 1024);
    l2.row(8192, 512, L2Cache::Access::kWrite);
    l2.row(8192, 512, L2Cache::Access::kRead);
    const L2Cache::Traffic traffic = l2.take();
    CHECK(traffic.hit_bytes == 1024);
    CHECK(traffic.miss_bytes == 0);
}

TEST_CASE("requests are sectors of 128 bytes") {
    L2Cache l2(1 << 20);
    l2.row(100, 32, L2Cache::Access::kRead);  // bytes 100 to 131 lie in two sectors
    CHECK(l2.take().miss_bytes == 256);
    l2.row(300, 4, L2Cache::Access::kRead);  // another sector of the same window
    CHECK(l2.take().miss_bytes == 128);
}

TEST_CASE("a stream larger than L2 finds nothing the second time") {
    L2Cache l2(64 * 1024);
    for (int pass = 0; pass < 2; ++pass)
        for (uint64_t at = 0; at < 65 * 1024; at += 512) l2.row(at, 512, L2Cache::Access::kRead);
    CHECK(l2.take().miss_bytes == 2 * 65 * 1024);
    for (uint64_t at = 0; at < 32 * 1024; at += 512) l2.row(at, 512, L2Cache::Access::kRead);
    l2.take();
    for (uint64_t at = 0; at < 32 * 1024; at += 512) l2.row(at, 512, L2Cache::Access::kRead);
    CHECK(l2.take().hit_bytes == 32 * 1024);
}

// 4 windows of 512 bytes: reading 6 in turn never hits.
TEST_CASE("what comes again is counted apart from what comes for the first time") {
    L2Cache l2(4 * 512);
    for (uint64_t at = 0; at < 6 * 512; at += 512) l2.row(at, 512, L2Cache::Access::kRead);
    L2Cache::Traffic traffic = l2.take();
    CHECK(traffic.miss_bytes == 6 * 512);
    CHECK(traffic.again_bytes == 0);
    l2.row(0, 512, L2Cache::Access::kRead);  // evicted when window 4 came
    traffic = l2.take();
    CHECK(traffic.miss_bytes == 512);
    CHECK(traffic.again_bytes == 512);
    l2.row(3 * 512, 512, L2Cache::Access::kRead);  // present
    CHECK(l2.take().hit_bytes == 512);
}

TEST_CASE("a sector that nobody has read does not come again") {
    L2Cache l2(512);
    l2.row(0, 128, L2Cache::Access::kRead);
    l2.row(4096, 512, L2Cache::Access::kRead);  // replaces it
    l2.take();
    l2.row(0, 512, L2Cache::Access::kRead);
    const L2Cache::Traffic traffic = l2.take();
    CHECK(traffic.miss_bytes == 512);
    CHECK(traffic.again_bytes == 128);
}

TEST_CASE("what bypasses L2 comes again each time") {
    L2Cache l2(1 << 20);
    l2.row(0, 512, L2Cache::Access::kReadBypass);
    CHECK(l2.take().again_bytes == 0);
    l2.row(0, 512, L2Cache::Access::kReadBypass);
    CHECK(l2.take().again_bytes == 512);
    l2.row(0, 512, L2Cache::Access::kRead);
    CHECK(l2.take().again_bytes == 512);
    l2.row(0, 512, L2Cache::Access::kRead);
    CHECK(l2.take().hit_bytes == 512);
}

TEST_CASE("what was written goes to the memory behind when its place is taken") {
    L2Cache l2(4 * 512);
    for (uint64_t at = 0; at < 4 * 512; at += 512) l2.row(at, 512, L2Cache::Access::kWrite);
    CHECK(l2.take().written_back == 0);
    for (uint64_t at = 8192; at < 8192 + 3 * 512; at += 512)
        l2.row(at, 512, L2Cache::Access::kRead);
    CHECK(l2.take().written_back == 3 * 512);
}

TEST_CASE("a row out of line enters one window more") {
    L2Cache l2(1 << 20);
    l2.row(0, 2048, L2Cache::Access::kRead);
    CHECK(l2.take().windows_entered == 0);
    l2.row(2, 2048, L2Cache::Access::kRead);
    CHECK(l2.take().windows_entered == 1);
    l2.row(256, 128, L2Cache::Access::kRead);
    CHECK(l2.take().windows_entered == 0);
}

TEST_CASE("rows that were all there are there until one of their windows goes") {
    L2Cache l2(64 * 512);
    const auto read = [&l2](uint64_t address) {
        l2.rows(address, 512, 4096, 32, L2Cache::Access::kRead);  // windows 4096 bytes apart
        return l2.take();
    };
    CHECK(read(0).miss_bytes == 32 * 512);
    for (int pass = 0; pass < 3; ++pass) {
        const L2Cache::Traffic again = read(0);
        CHECK(again.hit_bytes == 32 * 512);
        CHECK(again.rows == 32);
    }
    CHECK(read(1 << 20).miss_bytes == 32 * 512);  // L2 is full
    CHECK(read(0).hit_bytes == 32 * 512);
    l2.row(2 << 20, 512,
           L2Cache::Access::kRead);  // replaces the oldest, which is the first row's
    l2.take();
    // Each row that returns replaces the next one.
    CHECK(read(0).miss_bytes == 32 * 512);
}

TEST_CASE("a chip without L2 fetches everything") {
    L2Cache l2(0);
    l2.row(0, 512, L2Cache::Access::kRead);
    l2.row(0, 512, L2Cache::Access::kRead);
    CHECK(l2.take().miss_bytes == 1024);
}

TEST_CASE("what bypasses L2 is not kept, and what is there is used") {
    L2Cache l2(1 << 20);
    for (int pass = 0; pass < 2; ++pass) {
        l2.row(0, 1024, L2Cache::Access::kReadBypass);
        const L2Cache::Traffic whole = l2.take();
        CHECK(whole.miss_bytes == 1024);
        CHECK(whole.part_bytes == 0);
    }
    l2.row(4096, 128, L2Cache::Access::kReadBypass);
    CHECK(l2.take().part_bytes == 128);
    l2.row(0, 512, L2Cache::Access::kRead);
    l2.take();
    l2.row(0, 1024, L2Cache::Access::kReadBypass);
    const L2Cache::Traffic half = l2.take();
    CHECK(half.hit_bytes == 512);
    CHECK(half.miss_bytes == 512);
    l2.row(1024, 512, L2Cache::Access::kWriteBypass);  // to the memory behind
    l2.row(1024, 512, L2Cache::Access::kRead);
    CHECK(l2.take().hit_bytes == 0);
}

}  // namespace
}  // namespace ptosim
