#include "sim/system/windows.h"

#include <sys/mman.h>
#include <unistd.h>

#include <catch2/catch.hpp>

namespace ptosim {
namespace {

TEST_CASE("A window is the same memory for two chips") {
    constexpr uint64_t kSize = 3 * 4096;
    const int file = memfd_create("window", 0);
    REQUIRE(ftruncate(file, kSize) == 0);
    GlobalMemory here, there;
    Windows mine, theirs;
    auto* const a = static_cast<uint32_t*>(mine.map(here, kSize, file));
    auto* const b = static_cast<uint32_t*>(theirs.map(there, kSize, file));
    close(file);
    REQUIRE(a != nullptr);
    REQUIRE(b != nullptr);
    CHECK(a != b);
    a[7] = 42;
    CHECK(b[7] == 42);

    const auto first = reinterpret_cast<uint64_t>(a);
    CHECK(here.contains(first, kSize));
    CHECK(mine.hold(first));
    CHECK(mine.hold(first + kSize - 1));
    CHECK_FALSE(mine.hold(first - 1));
    CHECK_FALSE(mine.hold(first + kSize));
    CHECK_FALSE(theirs.hold(first));

    CHECK_FALSE(mine.unmap(here, a + 1));
    CHECK(mine.unmap(here, a));
    CHECK_FALSE(mine.hold(first));
    CHECK_FALSE(here.contains(first, kSize));
    CHECK(b[7] == 42);
}

}  // namespace
}  // namespace ptosim
