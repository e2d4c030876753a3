// Usable bytes of global memory over time. Expected values follow from the header; the system is asked whether a byte
// can be read.
#include "sim/machine/memory/global_memory.h"

#include <unistd.h>

#include <array>
#include <catch2/catch.hpp>
#include <vector>

#include "isa/core/diagnostic.h"

namespace ptosim {
namespace {

constexpr uint64_t kDevicePage = 2 << 20;

bool usable(uint64_t address) {
    std::array<int, 2> ends{};
    REQUIRE(pipe(ends.data()) == 0);
    const bool written = write(ends[1], GlobalMemory::host(address), 1) == 1;
    for (const int end : ends) ::close(end);
    return written;
}

TEST_CASE("closed memory opens as a whole, or one allocation of it") {
    GlobalMemory memory(uint64_t{1} << 30);
    const uint64_t a = memory.allocate(100, "a"), b = memory.allocate(10'000, "b");
    CHECK(usable(a));
    memory.close();
    CHECK_FALSE(usable(a));
    memory.open(b + 9'999);
    CHECK_FALSE(usable(a));
    CHECK(usable(b));
    CHECK(usable(b + 9'999));
    memory.close(b);
    CHECK_FALSE(usable(b));
    memory.open();
    CHECK(usable(a));
    memory.close(b);  // all are open: opening one has no effect
    CHECK(usable(b));
}

TEST_CASE("bytes between allocations are opened page by page, also again and in parts") {
    GlobalMemory memory(uint64_t{1} << 30);
    memory.use_pages(kDevicePage);
    const uint64_t a = memory.allocate(100, "a"), b = memory.allocate(100, "b");
    const uint64_t between = a + 16 * 1024;
    CHECK_FALSE(usable(between));
    for (const uint64_t from : {between, between + 8 * 1024, between + 4 * 1024, between, a}) {
        CHECK(memory.open_pages(from, 4096));
        CHECK(usable(from + 4095));
    }
    CHECK_FALSE(usable(between + 16 * 1024));
    CHECK(memory.open_pages(between, b - between));
    memory.close();
    CHECK_FALSE(usable(between + 8 * 1024));
    memory.open();
    CHECK(usable(between));
    CHECK(usable(between + 8 * 1024));
    CHECK(usable(b - 1));
    CHECK_FALSE(memory.open_pages(a, 2 * kDevicePage));  // the next page holds no allocation
}

TEST_CASE("what has been released is used again when nothing else is left") {
    constexpr uint64_t kPart = 256 << 10;
    GlobalMemory memory((64 + 12 * (256 + 64)) << 10);  // twelve, and their red zones
    std::vector<uint64_t> all;
    for (int i = 0; i < 12; ++i) all.push_back(memory.allocate(kPart, "part"));
    CHECK_THROWS_AS(memory.allocate(kPart, "one too many"), DiagnosticError);
    const auto fill = [&](uint64_t address, uint64_t size) {
        for (uint64_t i = 0; i < size; ++i) {
            if (*GlobalMemory::host(address + i) != std::byte{}) return false;
            *GlobalMemory::host(address + i) = std::byte{7};
        }
        return true;
    };
    for (const uint64_t address : all) REQUIRE(fill(address, kPart));
    // Three separate ones: too little for a larger one.
    for (const int i : {2, 4, 5}) REQUIRE(memory.release(all[i]));
    for (const uint64_t size : {uint64_t{1} << 62, UINT64_MAX})
        CHECK_THROWS_AS(memory.allocate(size, "far too large"), DiagnosticError);
    CHECK(memory.freed(all[4] + 1) != nullptr);
    CHECK_THROWS_AS(memory.allocate(2 * kPart + (128 << 10), "too large"), DiagnosticError);
    // Two adjacent ones, and their rest.
    const uint64_t both = memory.allocate(kPart + (128 << 10), "both");
    CHECK(both == all[4]);
    CHECK(fill(both, kPart + (128 << 10)));
    CHECK(memory.find(both + kPart)->name == "both");
    CHECK(memory.freed(both) == nullptr);
    const uint64_t one = memory.allocate(kPart, "one"), rest = memory.allocate(64 << 10, "rest");
    CHECK(one == all[2]);
    CHECK(rest > both);
    CHECK(rest < all[6]);
    CHECK(fill(one, kPart));
    CHECK(fill(rest, 64 << 10));
    for (const int i : {0, 1, 3, 6}) CHECK(*GlobalMemory::host(all[i] + kPart - 1) == std::byte{7});
    // Repeatedly.
    for (int i = 0; i < 100; ++i) {
        REQUIRE(memory.release(one));
        REQUIRE(memory.allocate(kPart, "one") == one);
    }
}

TEST_CASE("what has been released is opened anew where a neighbour's access reaches it") {
    GlobalMemory memory(uint64_t{1} << 30);
    memory.use_pages(kDevicePage);
    const uint64_t a = memory.allocate(100, "a"), b = memory.allocate(100, "b");
    memory.allocate(100, "c");
    CHECK(memory.open_pages(a, b + 100 - a));
    *GlobalMemory::host(b) = std::byte{7};
    CHECK(memory.release(b));
    CHECK_FALSE(usable(b));
    CHECK_FALSE(memory.open_pages(b, 100));  // it begins in released memory
    CHECK(memory.open_pages(a, b + 100 - a));
    CHECK(usable(b));
    CHECK(*GlobalMemory::host(b) == std::byte{0});
}

}  // namespace
}  // namespace ptosim
