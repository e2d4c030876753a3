#include "sim/system/job.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <initializer_list>
#include <memory>
#include <vector>

#include "sim/machine/event/neighbours.h"

namespace ptosim {
namespace {

constexpr HostCosts kCosts{100, 10, 5};
constexpr auto kNever = [](unsigned) { return Neighbours::kNever; };

Job::Counts counts(uint32_t first, uint32_t second = 0) {
    Job::Counts all{};
    all[0] = first;
    all[1] = second;
    return all;
}

struct TwoChips {
    std::unique_ptr<JobPages> pages = std::make_unique<JobPages>();
    Job job{*pages, 2, kCosts};
};

TEST_CASE("A run begins when its host has submitted it") {
    TwoChips chips;
    Job& job = chips.job;
    CHECK(job.earliest(0, 0, kNever) == 10);  // a task that is not there yet
    CHECK_FALSE(job.begin_of(0, 0));
    job.begin_orchestration();
    CHECK(job.earliest(0, 0, kNever) == 110);
    CHECK(job.submit({0}, {}, 0));
    CHECK(job.submit({1}, {}, 0));
    CHECK(job.begin_of(0, 0) == Cycle{110});
    CHECK(job.begin_of(1, 0) == Cycle{120});
    CHECK(job.earliest(0, 1, kNever) == 130);
}

TEST_CASE("A run begins after those that it depends on, and after tasks of the host between") {
    TwoChips chips;
    Job& job = chips.job;
    CHECK(job.submit({0}, {}, 0));
    CHECK(job.submit({1}, counts(1), 2));
    CHECK_FALSE(job.begin_of(1, 0));
    CHECK(job.earliest(1, 0, [](unsigned chip) { return Cycle{chip == 0 ? 1000u : 1u}; }) == 1000 + 5 + 2 * 10);
    job.begin_run(0);
    CHECK(job.begun(0) == 1);
    job.end_run(0, 0, 700);
    CHECK(job.begin_of(1, 0) == Cycle{700 + 5 + 2 * 10});
    CHECK(job.before(0, 0) == counts(0));
    CHECK(job.before(1, 0) == counts(1));
}

TEST_CASE("A host that waits goes on after the last run") {
    TwoChips chips;
    Job& job = chips.job;
    CHECK(job.submit({0, 1}, {}, 0));
    job.begin_wait(counts(1, 1));
    CHECK_FALSE(job.wait_is_over());
    CHECK(job.earliest(0, 1, [](unsigned) { return Cycle{500}; }) == 500 + 5 + 10);
    job.end_run(0, 0, 900);
    CHECK_FALSE(job.wait_is_over());
    job.end_run(1, 0, 800);
    CHECK(job.wait_is_over());
    job.end_wait();
    CHECK(job.submit({1}, {}, 0));
    CHECK(job.begin_of(1, 1) == Cycle{900 + 5 + 10});
    CHECK(job.before(1, 1) == counts(1, 1));  // the host has seen them end
}

TEST_CASE("What precedes a run precedes those that follow it") {
    TwoChips chips;
    Job& job = chips.job;
    CHECK(job.submit({0}, {}, 0));
    CHECK(job.submit({1}, counts(1), 0));
    CHECK(job.submit({1}, counts(0, 2 - 1), 0));
    CHECK(job.before(1, 1) == counts(1, 1));
}

TEST_CASE("A host waits while too many runs of a chip have not ended") {
    TwoChips chips;
    Job& job = chips.job;
    for (unsigned run = 0; run < JobPages::kRunsKept; ++run) REQUIRE(job.submit({0}, {}, 0));
    CHECK_FALSE(job.submit({0}, {}, 0));
    CHECK(job.submit({1}, {}, 0));
    job.end_run(0, 0, 50);
    CHECK(job.submit({0}, {}, 0));
    CHECK_FALSE(job.submit({0}, {}, 0));
}

TEST_CASE("Chips find each other's windows by a number, until they are withdrawn") {
    TwoChips chips;
    Job& job = chips.job;
    CHECK_FALSE(job.window_of(0, 7));
    CHECK(job.offer_window(0, 7, {0x1000, 64}));
    CHECK(job.offer_window(1, 7, {0x2000, 128}));
    CHECK(job.window_of(0, 7) == Job::Offered{0x1000, 64});
    CHECK(job.window_of(1, 7) == Job::Offered{0x2000, 128});
    job.withdraw_window(0, 7);
    CHECK_FALSE(job.window_of(0, 7));
    for (unsigned i = 0; i < JobPages::kWindowsKept; ++i) REQUIRE(job.offer_window(0, 100 + i, {i, 64}));
    CHECK_FALSE(job.offer_window(0, 99, {1, 64}));
}

Job::Counts counts_of(std::initializer_list<uint32_t> first) {
    Job::Counts all{};
    std::ranges::copy(first, all.begin());
    return all;
}

TEST_CASE("A node gives runs to its chips after its host has given it a task") {
    const auto pages = std::make_unique<JobPages>();
    Job top(*pages, std::vector{2U, 1U}, kCosts);
    Job first = top.as_node(0), second = Job::opened(*pages, kCosts).as_node(1);
    CHECK(top.chips() == 3);
    CHECK(second.given() == 1);
    CHECK(top.node_of(1) == 0);
    CHECK(top.node_of(2) == 1);
    CHECK_FALSE(first.begin_task());
    CHECK(top.earliest(0, 0, kNever) == 10 + 100 + 10);  // a task that is not there yet, then its run
    top.begin_orchestration();
    CHECK(top.submit({0}, {}, 0));  // at 110
    CHECK(top.submit({1}, {}, 0));  // at 120
    CHECK(first.begin_task());
    CHECK(top.earliest(2, 0, kNever) == 120 + 100 + 10);
    first.begin_orchestration();
    CHECK(first.submit({1}, {}, 0));
    CHECK(top.begin_of(1, 0) == Cycle{110 + 100 + 10});
    CHECK(second.begin_task());
    second.begin_orchestration();
    CHECK(second.submit({0}, {}, 0));  // its first chip is the third
    CHECK(top.begin_of(2, 0) == Cycle{230});

    top.begin_wait(counts(1, 1));
    first.begin_wait(counts(0, 1));
    CHECK(top.earliest(0, 0, [](unsigned chip) { return Cycle{chip == 1 ? 1000u : 1u}; }) == 1000 + 5 + 10);
    top.end_run(1, 0, 900);
    CHECK(first.wait_is_over());
    first.end_wait();
    first.end_task();  // at 905
    CHECK_FALSE(top.wait_is_over());
    CHECK(top.earliest(0, 0, kNever) == 905 + 5 + 10 + 100 + 10);
    second.begin_wait(counts(1));
    CHECK(top.earliest(0, 0, [](unsigned chip) { return Cycle{chip == 2 ? 1500u : 1u}; }) ==
          1500 + 5 + 5 + 10 + 100 + 10);
    top.end_run(2, 0, 2000);
    second.end_wait();
    second.end_task();
    CHECK(top.wait_is_over());
    top.end_wait();  // at 2010

    // Its task follows those that the host has seen end, on either node, and so do its runs.
    CHECK(top.submit({0}, {}, 0));
    CHECK(first.begin_task());
    CHECK(first.submit({0}, {}, 0));
    CHECK(top.begin_of(0, 0) == Cycle{2010 + 10 + 10});
    CHECK(top.before(0, 0) == counts_of({0, 1, 1}));
}

TEST_CASE("A task begins after those of other nodes that it depends on") {
    const auto pages = std::make_unique<JobPages>();
    Job top(*pages, std::vector{1U, 1U}, kCosts);
    Job first = top.as_node(0), second = top.as_node(1);
    CHECK(top.submit({0}, {}, 0));
    CHECK(top.submit({1}, counts(1), 0));
    CHECK(first.begin_task());
    CHECK(first.submit({0}, {}, 0));
    CHECK_FALSE(second.begin_task());
    // The chip of the second node can begin after the first one's: 700, twice 5 until its task, and the node's costs.
    CHECK(top.earliest(1, 0, [](unsigned) { return Cycle{700}; }) == 20 + 5 + 100 + 10);  // its node does not wait
    first.begin_wait(counts(1));
    CHECK(top.earliest(1, 0, [](unsigned) { return Cycle{700}; }) == 700 + 5 + 5 + 100 + 10);
    top.end_run(0, 0, 800);
    first.end_wait();
    first.end_task();
    CHECK(second.begin_task());
    CHECK(second.submit({0}, {}, 0));
    CHECK(top.begin_of(1, 0) == Cycle{800 + 5 + 5 + 10});
    CHECK(top.before(1, 0) == counts(1));
}

}  // namespace
}  // namespace ptosim
