// Vector clocks: for every timeline, the last tick that precedes a pipe's present.
//
// A chip has many pipes, and most synchronisation is within a core. A clock therefore holds the ticks of its own core
// by value, and those of other cores in a shared object that is replaced only after a wait for a cross-core signal.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "isa/core/pipe.h"
#include "sim/check/chip_ticks.h"

namespace ptosim::check {

using Tick = uint32_t;

// The timelines of a core: its pipes, and the stores of its scalar unit, for which later instructions do not wait.
inline constexpr unsigned kLanes = kPipeCount + 1;
inline constexpr unsigned kScalarStores = kPipeCount;

// One tick for each timeline of every core in the launch, at core * kLanes + lane. Immutable, so that clocks may share
// it.
struct RemoteTicks {
    // Counts the updates of a core's scalar unit: a larger version covers a smaller one. 0: also has other origins (a
    // pipe of a5 that waits by itself, or a join), so the ticks are compared.
    uint32_t version = 0;
    std::vector<Tick> ticks;
    ChipsClock chips = nullptr;  // of other chips

    bool covers(const RemoteTicks& other) const {
        if (version != 0 && other.version != 0) return version >= other.version;
        bool less = joined(chips, other.chips) != chips;
        for (size_t i = 0; i < ticks.size(); ++i) less |= ticks[i] < other.ticks[i];
        return !less;
    }
    void add(const RemoteTicks& other) {
        for (size_t i = 0; i < ticks.size(); ++i) ticks[i] = std::max(ticks[i], other.ticks[i]);
        chips = joined(chips, other.chips);
    }
};

struct Clock {
    std::array<Tick, kLanes> local{};
    std::shared_ptr<const RemoteTicks> remote;  // null: all ticks of other cores are 0

    Tick& operator[](Pipe pipe) { return local[static_cast<size_t>(pipe)]; }
    Tick operator[](Pipe pipe) const { return local[static_cast<size_t>(pipe)]; }
    // Takes the maximum of this clock and another one of the same core. Returns true if that changed it.
    bool join(const Clock& other) {
        bool changed = false;
        for (size_t i = 0; i < local.size(); ++i) {
            changed = changed || other.local[i] > local[i];
            local[i] = std::max(local[i], other.local[i]);
        }
        return join_remote(other.remote) || changed;
    }
    // The same operation for the ticks of other cores.
    bool join_remote(const std::shared_ptr<const RemoteTicks>& other) {
        if (!other || other == remote) return false;
        if (!remote || other->covers(*remote)) {
            remote = other;
            return true;
        }
        if (remote->covers(*other)) return false;
        auto both = std::make_shared<RemoteTicks>(RemoteTicks{0, remote->ticks, remote->chips});
        both->add(*other);
        remote = std::move(both);
        return true;
    }
};

}  // namespace ptosim::check
