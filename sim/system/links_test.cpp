#include "sim/system/links.h"

#include <catch2/catch.hpp>
#include <memory>

#include "sim/machine/model/system_model.h"
#include "sim/system/view_bytes.h"

namespace ptosim {
namespace {

TEST_CASE("A queue of messages gives back what was pushed, across the end of its ring") {
    const auto pages = std::make_unique<RingPages>();
    MessageQueue in(*pages), out(*pages);
    CHECK(out.take().empty());
    std::vector<std::byte> message(700'000);
    for (int round = 0; round < 10; ++round) {  // 7 MB through a ring of 2 MiB
        for (size_t i = 0; i < message.size(); ++i)
            message[i] = static_cast<std::byte>(i * 7 + static_cast<size_t>(round));
        REQUIRE(in.push(message));
        CHECK(out.take() == message);
    }
    CHECK(in.push(message));
    CHECK(in.push(message));
    CHECK_FALSE(in.push(message));  // 2,100,024 bytes are more than 2,097,152
    CHECK(out.take() == message);
    CHECK(in.push(message));
}

TEST_CASE("A promise has its time and whether its chip is parked, until the chip ends") {
    const auto clocks = std::make_unique<ChipClocks>();
    ChipClocks::Clock& clock = clocks->clocks[3];
    CHECK(clock.read().time == 0);
    const Promise promises[] = {{12345, true, 7}, {123456789012, false, 0x7fff}, {0, true, 0}};
    for (const Promise& promise : promises) {
        clock.write(promise);
        CHECK(clock.read() == promise);
    }
    CHECK_FALSE(clock.ended());
    clock.end();
    CHECK(clock.ended());
    CHECK(clock.read().time == Neighbours::kNever);
}

TEST_CASE("The rows of a view are its bytes, the innermost loop first") {
    GlobalView view;  // 2 matrices of 3 rows of 4 elements
    view.address = 1000;
    view.dtype = DType::kF16;
    view.shape = {1, 1, 2, 3, 4};
    view.stride = {1, 1, 100, 10, 1};
    std::vector<uint64_t> begins;
    for_rows_of(view, [&](uint64_t address, uint64_t size) {
        begins.push_back(address);
        CHECK(size == 8);
    });
    CHECK(begins == std::vector<uint64_t>{1000, 1020, 1040, 1200, 1220, 1240});
    CHECK(bytes_of(view) == 48);
}

TEST_CASE("Links take the times of the system's file, in cycles of the chip") {
    SystemModel system;
    system.chips = 4;
    system.dies = 2;
    system.link = {170'000, 28'000'000'000, 2};
    system.die_link = {100'000, 186'000'000'000, 1};
    constexpr uint64_t kClock = 1'850'000'000;
    const std::vector<LinkTimes> times = link_times(system, kClock, 2, 5);
    REQUIRE(times.size() == 5);
    // 0.17 us of 1.85 GHz are 314.5 cycles; 56 GB/s are 30.270 bytes per cycle.
    CHECK(times[0].latency == 315);
    CHECK(times[0].rate == 30270);
    // The other die: 185 cycles, 100.540 bytes per cycle.
    CHECK(times[3].latency == 185);
    CHECK(times[3].rate == 100540);
    CHECK(times[0].port != times[1].port);
    CHECK(times[0].together == 0);
    system.port_rate = 74'000'000'000;  // 40 bytes per cycle
    CHECK(link_times(system, kClock, 2, 5)[0].together == 40000);
    CHECK(link_times(system, kClock, 2, 5)[3].together == 0);  // the other die
    system.topology = SystemModel::Topology::kSwitch;
    const std::vector<LinkTimes> switched = link_times(system, kClock, 2, 5);
    CHECK(switched[0].port == switched[1].port);
    CHECK(switched[0].port != switched[3].port);
}

TEST_CASE("Devices of other hosts are reached by one port to the network") {
    SystemModel system;
    system.link = {170'000, 28'000'000'000, 1};
    system.port_rate = 74'000'000'000;
    system.networks[0] = {4, 1'500'000, 25'000'000'000};
    const std::vector<DevicePlace> places{{0, 0}, {0, 1}, {1, 0}, {1, 1}};
    const std::vector<LinkTimes> times = link_times(system, 1'850'000'000, 1, places);
    CHECK(times[0].latency == 315);
    CHECK(times[0].together == 40000);
    // 1.5 us of 1.85 GHz are 2775 cycles; 25 GB/s are 13.5135 bytes per cycle.
    CHECK(times[2].latency == 2775);
    CHECK(times[2].rate == 13513);
    CHECK(times[2].together == 0);
    CHECK(times[2].port == times[3].port);
    CHECK(times[2].port != times[0].port);
}

}  // namespace
}  // namespace ptosim
