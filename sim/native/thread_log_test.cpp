// Events of lanes are merged as a device executes them: lanes that diverge meet again after the branch and the loop.
#include "sim/native/thread_log.h"

#include <catch2/catch.hpp>
#include <string>

namespace ptosim {
namespace {

// Places of the code by letters; a lane's events are a word.
std::string merged(const std::vector<std::string>& lanes, const std::vector<uint32_t>& steps = {}) {
    ThreadLog log;
    log.begin_warp();
    for (unsigned lane = 0; lane < lanes.size(); ++lane) {
        ptosim_thread_event* next = log.next(lane);
        for (const char place : lanes[lane]) {
            *next = {};
            (next++)->code = reinterpret_cast<const void*>(static_cast<uintptr_t>(place));
        }
        log.keep(lane, next);
    }
    for (const uint32_t step : steps) log.step(step);
    std::string text;
    log.begin_merge(0, !steps.empty());
    for (WarpInstruction done; log.merge_next(done);) {
        text += static_cast<char>(reinterpret_cast<uintptr_t>(done.code));
        for (unsigned lane = 0; lane < lanes.size(); ++lane)
            if ((done.active >> lane & 1) != 0) text += std::to_string(lane);
        text += ' ';
    }
    return text;
}

}  // namespace

TEST_CASE("lanes with the same code stay together") {
    CHECK(merged({"abc", "abc"}) == "a01 b01 c01 ");
}

TEST_CASE("lanes meet after a branch") {
    CHECK(merged({"abd", "acd"}) == "a01 b0 c1 d01 ");
    CHECK(merged({"abd", "ad"}) == "a01 b0 d01 ");
    // The code of a branch may lie before that of what precedes it.
    CHECK(merged({"bad", "bcd"}) == "b01 a0 c1 d01 ");
}

TEST_CASE("lanes meet at the end of a loop's body, which has no event") {
    CHECK(merged({"abdabdabd", "acdacdacd"}) == "a01 b0 c1 d01 a01 b0 c1 d01 a01 b0 c1 d01 ");
    // while (...) { load; if (...) store b; else store c; }
    CHECK(merged({"abacabz", "acabacz"}) == "a01 b0 c1 a01 b1 c0 a01 b0 c1 z01 ");
}

TEST_CASE("lanes wait after a loop for those that repeat it more often") {
    CHECK(merged({"abcz", "abababcz"}) == "a01 b01 a1 b1 a1 b1 c01 z01 ");
    // for each row: loop a; all lanes reduce r; lane 0 stores s.
    CHECK(merged({"arsarsz", "araarz"}) == "a01 r01 s0 a01 a1 r01 s0 z01 ");
}

TEST_CASE("lanes that have gone on step by step stay in this order") {
    // Without it, lane 0 would go on alone: nothing shows that b is after the loop.
    CHECK(merged({"aab", "b"}, {1, 1, 3}) == "a0 a0 b01 ");
    CHECK(merged({"aac", "b"}, {1, 2, 1}) == "a0 b1 a0 c0 ");
    CHECK(merged({"a", "bz"}, {2, 1}) == "b1 a0 z1 ");
}

TEST_CASE("a lane that has ended leaves the others") {
    CHECK(merged({"az", "abz", "abz"}) == "a012 b12 z012 ");
}

}  // namespace ptosim
