// Another legal timing of a launch. The times of instructions, signals and the scalar unit are drawn at random, DMA is
// as early or as late as possible, and blocks and cores come in another order. The order that flags, barriers, signals
// and pipes impose is kept, so a kernel whose accesses are ordered computes the same bits under each of them.
//
// The same seed and number always give the same timing.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "sim/machine/observe/observer.h"
#include "sim/machine/timing/cost.h"

namespace ptosim {

class Schedule {
 public:
    // Number 0 is the chip's own timing. Numbers 1 to 4 target certain mistakes: loads as early as possible, loads as
    // late as possible, stores as late as possible, one core after the other. In all others everything is drawn.
    Schedule(uint64_t seed, unsigned number);

    unsigned number() const { return number_; }
    // The cost of an instruction of this pipe, drawn anew for each call.
    Cost cost(CoreId core, Pipe pipe, const Cost& by_model);
    // Additional cycles of the scalar unit before the next instruction.
    Cycle issue_delay(CoreId core);
    // Delay of a core before it begins a block, in cycles.
    Cycle block_delay(CoreId core);
    // Additional cycles of a signal between cores.
    Cycle signal_delay();
    // True if the younger of two instructions in flight writes its data first, on a pipe that does not work in order.
    bool overtakes();
    // Order in which blocks are dispatched: blocks that run at once are permuted, and none moves behind a later group.
    std::vector<uint32_t> block_order(uint32_t blocks, uint32_t at_once);
    // Order in which the warps of a block are executed next.
    std::vector<uint32_t> warp_order(uint32_t warps);

 private:
    // The model's time; one cycle; much more than the model's; or one of these for each instruction.
    enum class Pace : uint8_t { kModel, kQuick, kSlow, kMixed };
    struct CorePaces {
        bool drawn = false;
        std::array<Pace, kPipeCount> pipes{};
        Pace scalar = Pace::kModel;
        Cycle late = 0;  // delay until it begins
    };

    CorePaces& paces(CoreId core);
    void draw(CorePaces& paces, CoreType type);
    uint64_t random();
    uint64_t below(uint64_t limit) { return random() % limit; }
    // From 0 to about 2^bits; each power of two is equally likely.
    Cycle some_cycles(unsigned bits) { return below(uint64_t{1} << (1 + below(bits))); }

    unsigned number_;
    uint64_t state_;
    std::array<std::vector<CorePaces>, 2> cores_;  // by type
};

}  // namespace ptosim
