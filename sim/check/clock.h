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

// One tick per timeline of every core in the launch, at core * kLanes + lane. Versions of one
// core grow, and the larger one knows all that the smaller one knows.
struct Remote {
    uint32_t version = 0;
    std::vector<Tick> ticks;
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
        if (other.remote && (!remote || other.remote->version > remote->version)) {
            remote = other.remote;
            news = true;
        }
        return news;
    }
};

}  // namespace ptosim::check
