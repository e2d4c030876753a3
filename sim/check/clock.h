// Vector clocks: what a pipe knows to be over.
//
// A chip has many pipes, and most synchronisation is within a core: a clock therefore holds the
// pipes of its own core by value and shares its knowledge of other cores, which changes only when
// a cross-core signal has been waited for.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "isa/pipe.h"

namespace ptosim::check {

using Tick = uint32_t;

// The timelines of a core: its pipes, and the stores of its scalar unit, which nothing that it
// issues afterwards waits for.
inline constexpr unsigned kLanes = kPipeCount + 1;
inline constexpr unsigned kScalarStores = kPipeCount;

// One tick per timeline of every core in the launch, at core * kLanes + lane; never changed, so
// that clocks may share it.
struct Remote {
    // Of what the scalar unit of a core has learnt: it grows, and the larger knows all that the
    // smaller knows. 0: of a pipe that waits by itself (a5), or of several.
    uint32_t version = 0;
    std::vector<Tick> ticks;

    bool knows(const Remote& other) const {
        if (version != 0 && other.version != 0) return version >= other.version;
        bool less = false;
        for (size_t i = 0; i < ticks.size(); ++i) less |= ticks[i] < other.ticks[i];
        return !less;
    }
    void add(const Remote& other) {
        for (size_t i = 0; i < ticks.size(); ++i) ticks[i] = std::max(ticks[i], other.ticks[i]);
    }
};

struct Clock {
    std::array<Tick, kLanes> local{};
    std::shared_ptr<const Remote> remote;  // null: knows nothing of other cores

    Tick& operator[](Pipe pipe) { return local[static_cast<size_t>(pipe)]; }
    Tick operator[](Pipe pipe) const { return local[static_cast<size_t>(pipe)]; }
    // Learns what another clock of the same core knows; returns whether that was news.
    bool join(const Clock& other) {
        bool news = false;
        for (size_t i = 0; i < local.size(); ++i) {
            news = news || other.local[i] > local[i];
            local[i] = std::max(local[i], other.local[i]);
        }
        return learn(other.remote) || news;
    }
    // The same of other cores.
    bool learn(const std::shared_ptr<const Remote>& other) {
        if (!other || other == remote) return false;
        if (!remote || other->knows(*remote)) {
            remote = other;
            return true;
        }
        if (remote->knows(*other)) return false;
        auto both = std::make_shared<Remote>(Remote{0, remote->ticks});
        both->add(*other);
        remote = std::move(both);
        return true;
    }
};

}  // namespace ptosim::check
