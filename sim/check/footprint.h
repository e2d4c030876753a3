// The bytes that an instruction touches, computed once for all checkers.
#pragma once

#include <deque>
#include <vector>

#include "sim/check/region.h"
#include "sim/check/timelines.h"
#include "sim/machine/observe/observer.h"

namespace ptosim::check {

// One piece of one operand. Scratch counts as written and not as read, because its contents before and after are
// undefined; on architectures that do not use it, it counts as untouched. Atomic stores write and read.
struct Piece {
    Region region;
    bool global = false;
    Space space = Space::kUB;  // if not global
    uint16_t memory = 0;       // its owner: an index of Timelines
    uint8_t operand = 0;
    bool reads = false;
    bool writes = false;
    bool atomic = false;
};
using Footprint = std::vector<Piece>;

// Footprints of queued instructions: computed when issued, released when started.
class Footprints {
 public:
    explicit Footprints(const Timelines& timelines) : timelines_{timelines} {}
    // `lanes`: queues of the launch (cores times pipes).
    void launch(size_t lanes, Arch arch);
    const Footprint& issue(size_t lane, CoreId core, const Instruction& instruction);
    // Footprint of the oldest issued instruction in the queue; valid until the next call.
    const Footprint& start(size_t lane);

 private:
    void add_threads(CoreId core, const Instruction& instruction, Footprint& footprint) const;

    const Timelines& timelines_;
    Arch arch_ = Arch::kA2A3;
    std::vector<std::deque<Footprint>> queues_;
    std::vector<Footprint> spare_;
    Footprint current_;
    std::vector<Region> regions_;
};

}  // namespace ptosim::check
