// Shadow memory against a list of all accesses.
#include "sim/check/shadow.h"

#include <catch2/catch.hpp>
#include <random>

namespace ptosim::check {
namespace {

Record record(Region region, Pipe pipe, Tick tick, bool write) {
    Record r;
    r.region = region;
    r.stamp.pipe = pipe;
    r.stamp.tick = tick;
    r.write = write;
    return r;
}

TEST_CASE("a shadow finds the newest access of each region and timeline, and nothing twice") {
    Budget budget{uint64_t{1} << 30, false};
    const unsigned page_bits = GENERATE(6u, 12u);  // pages of one cell, and of many
    Shadow shadow(page_bits, budget);
    std::vector<Record> all;
    std::mt19937 random(3);
    for (Tick tick = 1; tick < 3000; ++tick) {
        Region region{random() % 500, 1 + random() % 90, 0, 1 + random() % 4};
        if (region.lines > 1) region.pitch = 100;
        const Record now = record(region, static_cast<Pipe>(random() % 3), tick, random() % 2 == 0);
        size_t expected = 0;
        for (const Record& known : all)
            expected += overlap(known.region, region) && (now.write || known.write);
        size_t found = 0;
        shadow.visit(region, now.write, [&](const Record& known) {
            ++found;
            REQUIRE(overlap(known.region, region));
            return now.write && covers(region, known.region);
        });
        REQUIRE(found == expected);
        if (now.write)
            std::erase_if(all, [&](const Record& known) { return covers(region, known.region); });
        std::erase_if(all, [&](const Record& known) {
            return known.region == region && known.stamp.pipe == now.stamp.pipe &&
                   known.write == now.write;
        });
        all.push_back(now);
        shadow.insert(now);
    }
    const uint64_t taken = (uint64_t{1} << 30) - budget.left;
    CHECK(taken >= all.size() * kBytesPerRecord);
    CHECK(taken <= all.size() * (kBytesPerRecord + 16 * kBytesPerPlace) +
                       32 * (kBytesPerPage + kBytesPerCell));
}

TEST_CASE("a shadow stops at its budget and says so") {
    constexpr uint64_t kPage = kBytesPerPage + (1 << 12) / 64 * kBytesPerCell;
    Budget budget{2 * (kBytesPerRecord + kBytesPerPlace) + kPage, false};
    Shadow shadow(12, budget);
    for (uint64_t i = 0; i < 2; ++i) shadow.insert(record({i * 8, 8, 0, 1}, Pipe::kV, 1, true));
    CHECK_FALSE(budget.exceeded);
    shadow.insert(record({0, 8, 0, 1}, Pipe::kV, 2, true));  // replaces
    CHECK_FALSE(budget.exceeded);
    shadow.insert(record({64, 8, 0, 1}, Pipe::kV, 2, true));
    CHECK(budget.exceeded);
}

}  // namespace
}  // namespace ptosim::check
