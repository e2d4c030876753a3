// Other chips with which a chip shares its clock and its windows, for checkers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "sim/machine/event/cycle.h"

namespace ptosim {

class Peers {
 public:
    struct Place {
        unsigned chip = 0;     // the owner of the window
        uint64_t address = 0;  // on that chip
        uint64_t offset = 0;   // in the window
    };
    // Receives messages of other chips in the order of their arrival, also between launches.
    using Listener = std::function<void(unsigned from, std::span<const std::byte> message)>;

    virtual ~Peers() = default;
    virtual unsigned chip() const = 0;
    // Empty outside all windows. `address` lies in the window of this chip or in its copy of another window.
    virtual std::optional<Place> place_of(uint64_t address) const = 0;
    // The message arrives a latency later, before accesses that this chip begins after this call.
    virtual void tell(unsigned chip, std::span<const std::byte> message) = 0;
    virtual void listen(Listener listener) = 0;
    struct Launch {
        uint32_t number = 0;          // of this chip, from 1
        std::vector<uint32_t> ended;  // by chip: number of its launches that ended before this one
    };
    virtual Launch begin_launch() = 0;
    // An access by this chip's host. It gets the number of a launch, so that it is ordered like one: before launches of
    // other chips that begin after a meeting of the hosts. Empty if accesses of hosts are not ordered here.
    struct HostAccess {
        Launch launch;
        Cycle time = 0;
    };
    virtual std::optional<HostAccess> begin_host_access() = 0;
};

}  // namespace ptosim
