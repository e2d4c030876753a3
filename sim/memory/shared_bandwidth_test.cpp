#include "sim/memory/shared_bandwidth.h"

#include <catch2/catch.hpp>
#include <limits>

namespace ptosim {
namespace {

// Runs a link to its end; returns when each flow ended, by owner. Owners are indices + 1.
std::vector<Cycle> run(FluidLink& link, size_t flows) {
    std::vector<Cycle> ends(flows, 0);
    std::vector<void*> ended;
    while (link.next_end() != std::numeric_limits<Cycle>::max()) {
        const Cycle now = link.next_end();
        link.advance(now, ended);
        for (void* owner : ended) ends[reinterpret_cast<size_t>(owner) - 1] = now;
        ended.clear();
    }
    return ends;
}

void* owner(size_t i) { return reinterpret_cast<void*>(i + 1); }

TEST_CASE("a lone transfer runs at its own limit, rounded up to a cycle") {
    FluidLink link(100'000);
    link.add(0, 1000, 30'000, owner(0));
    CHECK(run(link, 1) == std::vector<Cycle>{34});  // 1000 / 30 = 33.3
}

TEST_CASE("equal transfers share the link equally") {
    FluidLink link(100'000);
    for (size_t i = 0; i < 4; ++i) link.add(0, 1000, 100'000, owner(i));
    CHECK(run(link, 4) == std::vector<Cycle>(4, 40));
}

TEST_CASE("what a slow transfer leaves goes to the others") {
    // Max-min fair: 10 wants 10 of 100, the other two get 45 each.
    FluidLink link(100'000);
    link.add(0, 900, 10'000, owner(0));
    link.add(0, 900, 80'000, owner(1));
    link.add(0, 900, 80'000, owner(2));
    CHECK(run(link, 3) == std::vector<Cycle>{90, 20, 20});
}

TEST_CASE("a transfer that starts later slows those under way, and frees them when it ends") {
    FluidLink link(100'000);
    link.add(0, 1000, 100'000, owner(0));
    std::vector<void*> ended;
    link.advance(5, ended);                  // 500 bytes are left
    link.add(5, 250, 100'000, owner(1));     // 50 B/cycle each: ends at 10
    CHECK(run(link, 2) == std::vector<Cycle>{13, 10});  // 250 left at 10, 100 B/cycle: 12.5
}

TEST_CASE("bytes are conserved: the link is never faster than its capacity") {
    FluidLink link(97'531);
    uint64_t total = 0;
    for (size_t i = 0; i < 37; ++i) {
        const uint64_t bytes = 1000 + 777 * i;
        total += bytes;
        link.add(0, bytes, 5'000 + 1'000 * i, owner(i));
    }
    const std::vector<Cycle> ends = run(link, 37);
    const Cycle last = *std::max_element(ends.begin(), ends.end());
    CHECK(static_cast<double>(last) >= static_cast<double>(total) / 97.531);
}

}  // namespace
}  // namespace ptosim
