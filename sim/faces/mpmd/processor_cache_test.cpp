#include "sim/faces/mpmd/processor_cache.h"

#include <catch2/catch.hpp>

namespace ptosim::mpmd {
namespace {

// Two lines of device memory that a run has loaded.
struct TwoLines {
    GlobalMemory memory{1 << 20};
    ProcessorCache cache{memory, std::make_shared<SourceMap>()};
    uint64_t address = memory.allocate(128, "setting");

    TwoLines() {
        write(0, 1);
        write(64, 1);
        cache.begin_run();
        load(0);
        load(64);
        cache.end_run();
    }
    void write(uint64_t offset, int value) {
        *GlobalMemory::host(address + offset) = static_cast<std::byte>(value);
    }
    // Returns the number of findings after the load.
    size_t load(uint64_t offset) {
        cache.load(0, address + offset, 1, this);
        return cache.findings().size();
    }
};

TEST_CASE("what the host writes between two runs is stale where a run has loaded it", "[mpmd]") {
    TwoLines lines;
    lines.write(64, 2);
    lines.cache.begin_run();
    CHECK(lines.load(0) == 0);
    REQUIRE(lines.load(64) == 1);
    CHECK(lines.cache.findings()[0].code == "E22");
    CHECK(lines.load(64) == 1);
}

TEST_CASE("other bytes of a line are not stale, and stay until they are loaded", "[mpmd]") {
    TwoLines lines;
    lines.write(65, 2);
    lines.cache.begin_run();
    CHECK(lines.load(64) == 0);
    lines.cache.end_run();
    lines.cache.begin_run();
    CHECK(lines.load(65) == 1);
}

TEST_CASE("an invalidated line is got anew", "[mpmd]") {
    TwoLines lines;
    lines.write(64, 2);
    lines.cache.begin_run();
    lines.cache.invalidate(lines.address + 70, 1);
    CHECK(lines.load(64) == 0);
}

TEST_CASE("what a core writes during the run is seen", "[mpmd]") {
    TwoLines lines;
    lines.write(64, 2);
    lines.cache.begin_run();
    lines.write(64, 3);
    CHECK(lines.load(64) == 0);
}

TEST_CASE("a line that nobody has loaded, and one that is gone, is not stale", "[mpmd]") {
    TwoLines lines;
    const uint64_t other = lines.memory.allocate(64, "other");
    *GlobalMemory::host(other) = std::byte{5};
    lines.write(0, 2);
    lines.cache.release(lines.address);
    lines.cache.begin_run();
    lines.cache.load(0, other, 1, &lines);
    CHECK(lines.load(0) == 0);
}

}  // namespace
}  // namespace ptosim::mpmd
