// The part of a vector clock that is about other chips.
#pragma once

#include <cstdint>
#include <map>
#include <memory>

namespace ptosim::check {

// For a chip: its launches before `launch` precede, and of `launch` the given ticks, by timeline.
struct ChipTicks {
    uint32_t launch = 0;
    std::map<uint32_t, uint32_t> ticks;
    friend bool operator==(const ChipTicks&, const ChipTicks&) = default;
};

struct OtherChips {
    std::map<uint16_t, ChipTicks> chips;  // by number

    bool covers(uint16_t chip, uint32_t launch, uint32_t timeline, uint32_t tick) const {
        const auto found = chips.find(chip);
        if (found == chips.end() || found->second.launch < launch) return false;
        if (found->second.launch > launch) return true;
        const auto known = found->second.ticks.find(timeline);
        return known != found->second.ticks.end() && known->second >= tick;
    }
    void add(uint16_t chip, const ChipTicks& more) {
        ChipTicks& mine = chips[chip];
        if (more.launch < mine.launch) return;
        if (more.launch > mine.launch) mine = {more.launch, {}};
        for (const auto& [timeline, tick] : more.ticks) {
            uint32_t& known = mine.ticks[timeline];
            known = known < tick ? tick : known;
        }
    }
    void add(const OtherChips& more) {
        for (const auto& [chip, ticks] : more.chips) add(chip, ticks);
    }
};

// Immutable, so that clocks may share it; null: nothing is known of other chips.
using ChipsClock = std::shared_ptr<const OtherChips>;

inline ChipsClock joined(const ChipsClock& a, const ChipsClock& b) {
    if (!a || a == b) return b;
    if (!b) return a;
    auto both = std::make_shared<OtherChips>(*a);
    both->add(*b);
    if (both->chips == a->chips) return a;
    return both;
}

}  // namespace ptosim::check
