#include "sim/native/watchdog.h"

#include <catch2/catch.hpp>

namespace ptosim {
namespace {

constexpr int kLimit = 10;  // seconds, as without PTOSIM_WATCHDOG

// The second in which the watchdog ends a kernel that accesses memory in the seconds for which `computes` is true; 0:
// not within the first `seconds`.
template <typename Computes>
int ended_in(int seconds, Computes computes) {
    for (int second = 1; second <= seconds; ++second) {
        if (computes(second)) note_computation();
        if (count_tick(true)) return second;
    }
    return 0;
}

bool always(int) { return true; }
bool never(int) { return false; }

// An instruction was issued just before, and the next one is issued just after.
struct Launch {
    Launch() { progress(); }
    ~Launch() { progress(); }
    static void progress() {
        note_progress();
        count_tick(true);
    }
};

TEST_CASE("a kernel without an instruction is ended after the limit") {
    const Launch launch;
    CHECK(ended_in(100, never) == kLimit);
}

TEST_CASE("a kernel that goes through memory is given thirty times the limit") {
    const Launch launch;
    CHECK(ended_in(30 * kLimit - 1, always) == 0);
    CHECK_FALSE(only_polled());
    CHECK(ended_in(100, always) == kLimit);
}

TEST_CASE("the limit counts from the last second with an access") {
    const Launch launch;
    CHECK(ended_in(100, [](int second) { return second == 5; }) == 5 + kLimit);
}

TEST_CASE("a core that computes after another was ended is still watched") {
    const Launch launch;
    CHECK(ended_in(100, never) == kLimit);
    CHECK(ended_in(1, always) == 0);
    CHECK(ended_in(100, never) == kLimit);
}

TEST_CASE("kernels that only poll are told after three times the limit") {
    const Launch launch;
    for (int second = 1; second < 3 * kLimit; ++second) count_tick(false);
    CHECK_FALSE(only_polled());
    count_tick(false);
    CHECK(only_polled());
}

}  // namespace
}  // namespace ptosim
