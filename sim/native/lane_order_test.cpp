// Tests which accesses of a warp differ between lockstep and one lane after another.
#include "sim/native/lane_order.h"

#include <catch2/catch.hpp>
#include <functional>

namespace ptosim {
namespace {

using Kind = WarpInstruction::Kind;

// An access of 32 lanes to 4 bytes each.
WarpInstruction access_of(Kind kind, const std::function<uint64_t(unsigned)>& address,
                          uintptr_t code, uint32_t active = ~0u) {
    WarpInstruction done;
    done.kind = kind;
    done.bytes = 4;
    done.active = active;
    done.code = reinterpret_cast<const void*>(code);
    for (unsigned lane = 0; lane < kWarpLanes; ++lane)
        if ((active >> lane & 1) != 0) done.addresses[lane] = address(lane);
    return done;
}
uintptr_t conflict(const std::vector<WarpInstruction>& accesses) {
    LaneOrder order;
    for (const WarpInstruction& access : accesses) order.add(access);
    return reinterpret_cast<uintptr_t>(order.end());
}
uint64_t own(unsigned lane) { return 0x1000 + 4 * lane; }

}  // namespace

TEST_CASE("lanes with bytes of their own may come in any order") {
    CHECK(conflict({access_of(Kind::kLoad, own, 1), access_of(Kind::kStore, own, 2),
                    access_of(Kind::kLoad, own, 3)}) == 0);
    const auto elsewhere = [](unsigned lane) { return 0x2000 + 4 * (31 - lane); };
    CHECK(conflict({access_of(Kind::kLoad, elsewhere, 1), access_of(Kind::kStore, own, 2)}) == 0);
    // Loads only; the last of several stores to one place is the highest lane's in both orders.
    const auto one = [](unsigned) { return uint64_t{0x1000}; };
    CHECK(conflict({access_of(Kind::kLoad, one, 1), access_of(Kind::kLoad, own, 2)}) == 0);
    CHECK(conflict({access_of(Kind::kStore, one, 1)}) == 0);
}

TEST_CASE("a shift to higher lanes needs lockstep, one to lower lanes does not") {
    const auto next = [](unsigned lane) { return own(lane + 1); };
    CHECK(conflict({access_of(Kind::kLoad, own, 1), access_of(Kind::kStore, next, 2)}) == 2);
    CHECK(conflict({access_of(Kind::kLoad, next, 1), access_of(Kind::kStore, own, 2)}) == 0);
}

TEST_CASE("a lane that reads what a higher one has stored needs lockstep") {
    const auto higher = [](unsigned lane) { return own(lane + 16); };
    CHECK(conflict({access_of(Kind::kStore, own, 1), access_of(Kind::kLoad, higher, 2, 0xffff)}) ==
          2);
    const auto lower = [](unsigned lane) { return own(lane - 16); };
    CHECK(conflict({access_of(Kind::kStore, own, 1),
                    access_of(Kind::kLoad, lower, 2, 0xffff0000)}) == 0);
    // A lower lane overwrites later.
    CHECK(conflict({access_of(Kind::kStore, own, 1), access_of(Kind::kStore, higher, 2, 0xffff)}) ==
          2);
}

TEST_CASE("what comes before a meeting of the lanes does not count after it") {
    LaneOrder order;
    order.add(access_of(Kind::kStore, own, 1));
    CHECK(order.end() == nullptr);
    order.add(access_of(
        Kind::kLoad, [](unsigned lane) { return own(lane + 16); }, 2, 0xffff));
    CHECK(order.end() == nullptr);
}

TEST_CASE("accesses of different memories and of parts of words are kept apart") {
    WarpInstruction local = access_of(Kind::kStore, own, 1);
    local.local = true;
    CHECK(conflict({local, access_of(
                               Kind::kLoad, [](unsigned lane) { return own(lane + 16); }, 2,
                               0xffff)}) == 0);
    WarpInstruction bytes = access_of(
        Kind::kStore, [](unsigned lane) { return uint64_t{0x1000} + lane; }, 1);
    bytes.bytes = 1;
    WarpInstruction again = bytes;
    again.kind = Kind::kLoad;
    again.active = 0xffff;
    for (unsigned lane = 0; lane < kWarpLanes; ++lane)
        again.addresses[lane] = lane < 16 ? 0x1000 + lane : 0;
    CHECK(conflict({bytes, again}) == 0);
    for (unsigned lane = 0; lane < 16; ++lane) again.addresses[lane] = 0x1001 + lane;
    CHECK(conflict({bytes, again}) != 0);
}

}  // namespace ptosim
