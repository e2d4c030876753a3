// Values of address ranges, which are split where a new range begins or ends.
#pragma once

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <map>
#include <utility>

namespace ptosim::mpmd {

template <class Value>
class RangeMap {
 public:
    // Calls visit(begin, end, value) for the parts of [begin, end) that have a value.
    template <class Visit>
    void each(uint64_t begin, uint64_t end, Visit&& visit) {
        split(begin);
        split(end);
        for (auto at = ranges_.lower_bound(begin); at != ranges_.end() && at->first < end; ++at)
            visit(at->first, at->second.end, at->second.value);
    }
    // Sets one value for the whole range.
    void assign(uint64_t begin, uint64_t end, Value value) {
        if (begin >= end) return;
        split(begin);
        split(end);
        ranges_.erase(ranges_.lower_bound(begin), ranges_.lower_bound(end));
        ranges_.emplace(begin, Range{end, std::move(value)});
    }
    // Sets the value of parts that have none.
    void fill(uint64_t begin, uint64_t end, const Value& value) {
        split(begin);
        split(end);
        auto next = ranges_.lower_bound(begin);
        while (begin < end) {
            if (next == ranges_.end() || next->first > begin) {
                const uint64_t gap = next == ranges_.end() ? end : std::min(end, next->first);
                next = ranges_.emplace_hint(next, begin, Range{gap, value});
            }
            begin = next->second.end;
            ++next;
        }
    }

 private:
    struct Range {
        uint64_t end = 0;
        Value value;
    };

    // Splits the range that contains this address, so that one begins there.
    void split(uint64_t at) {
        const auto next = ranges_.lower_bound(at);
        if (next == ranges_.begin() || (next != ranges_.end() && next->first == at)) return;
        const auto range = std::prev(next);
        if (range->second.end <= at) return;
        ranges_.emplace_hint(next, at, range->second);
        range->second.end = at;
    }

    std::map<uint64_t, Range> ranges_;
};

}  // namespace ptosim::mpmd
