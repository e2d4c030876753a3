// Sorting by time: millions of records that are nearly in order already.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <utility>
#include <vector>

#include "sim/machine/observe/observer.h"

namespace ptosim {

// Sorts a list that consists of a few sorted runs.
template <class T, class Before>
void merge_runs(std::vector<T>& list, Before&& before) {
    constexpr int kFew = 16;
    auto middle = std::is_sorted_until(list.begin(), list.end(), before);
    for (int run = 1; middle != list.end(); ++run) {
        if (run == kFew) return std::stable_sort(list.begin(), list.end(), before);
        const auto next = std::is_sorted_until(middle, list.end(), before);
        std::inplace_merge(list.begin(), middle, next, before);
        middle = next;
    }
}

// Sorts `records` by time(record), and records of one time by before(a, b); records that are equal
// in both keep their order. Each record is moved once: by digits of its time, not by comparisons.
template <class Record, class Time, class Before>
void sort_by_time(std::vector<Record>& records, Time&& time, Before&& before) {
    const auto in_order = [&](const Record& a, const Record& b) {
        return time(a) != time(b) ? time(a) < time(b) : before(a, b);
    };
    if (std::is_sorted(records.begin(), records.end(), in_order)) return;
    constexpr unsigned kDigitBits = 11;
    constexpr size_t kWorthIt = 256;
    const auto [first, last] =
        std::minmax_element(records.begin(), records.end(),
                            [&](const Record& a, const Record& b) { return time(a) < time(b); });
    const Cycle begin = time(*first), range = time(*last) - begin;
    if (records.size() < kWorthIt || range > UINT32_MAX || records.size() > UINT32_MAX)
        return std::stable_sort(records.begin(), records.end(), in_order);

    struct Key {
        uint32_t time, index;
    };
    std::vector<Key> keys(records.size()), moved(records.size());
    for (size_t i = 0; i < records.size(); ++i)
        keys[i] = {static_cast<uint32_t>(time(records[i]) - begin), static_cast<uint32_t>(i)};
    for (unsigned shift = 0; shift < std::bit_width(range); shift += kDigitBits) {
        std::array<uint32_t, size_t{1} << kDigitBits> at{};
        const auto digit = [shift](const Key& key) {
            return key.time >> shift & ((1u << kDigitBits) - 1);
        };
        for (const Key& key : keys) ++at[digit(key)];
        uint32_t sum = 0;
        for (uint32_t& count : at) sum += std::exchange(count, sum);
        for (const Key& key : keys) moved[at[digit(key)]++] = key;
        keys.swap(moved);
    }
    // Moves each record to its position, along the cycles of the permutation.
    for (uint32_t i = 0; i < keys.size(); ++i) {
        if (keys[i].index == i) continue;
        Record record = std::move(records[i]);
        uint32_t at = i;
        for (uint32_t from = keys[at].index; from != i; from = keys[at].index) {
            records[at] = std::move(records[from]);
            keys[at].index = at;
            at = from;
        }
        records[at] = std::move(record);
        keys[at].index = at;
    }
    for (auto from = records.begin(); from != records.end();) {
        const Cycle now = time(*from);
        auto to = std::next(from);
        while (to != records.end() && time(*to) == now) ++to;
        if (to - from > 1) std::stable_sort(from, to, before);
        from = to;
    }
}

}  // namespace ptosim
