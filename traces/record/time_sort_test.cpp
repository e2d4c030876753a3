#include "traces/record/time_sort.h"

#include <catch2/catch.hpp>
#include <random>

using namespace ptosim;

namespace {
struct Entry {
    Cycle time;
    uint32_t second;
    uint32_t serial;
    friend bool operator==(const Entry&, const Entry&) = default;
};
}  // namespace

TEST_CASE("sorting by time is a stable sort by both keys") {
    std::mt19937_64 random(3);
    for (const size_t count : {0u, 1u, 2u, 255u, 256u, 257u, 5000u})
        for (const Cycle range : {1ull, 10ull, 3000ull, 5'000'000ull, 1ull << 32, 1ull << 50}) {
            std::vector<Entry> entries;
            for (uint32_t i = 0; i < count; ++i)
                entries.push_back(
                    {1'000'000 + random() % range, static_cast<uint32_t>(random() % 3), i});
            std::vector<Entry> wanted = entries;
            std::stable_sort(wanted.begin(), wanted.end(), [](const Entry& a, const Entry& b) {
                return std::pair(a.time, a.second) < std::pair(b.time, b.second);
            });
            sort_by_time(
                entries, [](const Entry& e) { return e.time; },
                [](const Entry& a, const Entry& b) { return a.second < b.second; });
            REQUIRE(entries == wanted);
        }
}

TEST_CASE("lists behind one another are merged as a stable sort does it") {
    std::mt19937_64 random(4);
    const auto earlier = [](const Entry& a, const Entry& b) { return a.time < b.time; };
    for (const size_t lists : {0u, 1u, 2u, 5u, 15u, 16u, 40u}) {
        std::vector<Entry> entries;
        for (size_t list = 0; list < lists; ++list) {
            Cycle time = 0;
            for (uint64_t i = random() % 50; i > 0; --i)
                entries.push_back({time += random() % 3, 0, static_cast<uint32_t>(entries.size())});
        }
        std::vector<Entry> wanted = entries;
        std::stable_sort(wanted.begin(), wanted.end(), earlier);
        merge_runs(entries, earlier);
        REQUIRE(entries == wanted);
    }
}
