// Another legal timing of a launch: the time of instructions, signals and the scalar
// unit is drawn at random, DMA is as early or as late as possible, blocks and cores come
// in another order. The order that flags, barriers, signals and pipes impose is kept, so
// that a kernel whose accesses are ordered computes the same bits under each of them.
//
// The same seed and number always give the same timing.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "sim/observe/observer.h"
#include "sim/timing/cost.h"

namespace ptosim {

class Schedule {
 public:
    // Number 0 is the chip's own timing. 1 to 4 are made for certain mistakes: loads as early as
    // can be, loads as late as can be, stores as late as can be, the cores one after the other. Of
    // the others everything is drawn.
    Schedule(uint64_t seed, unsigned number);

    unsigned number() const { return number_; }
    // What an instruction of this pipe takes now.
    Cost cost(CoreId core, Pipe pipe, const Cost& by_model);
    // Cycles that the scalar unit takes more before the next instruction.
    Cycle issue_delay(CoreId core);
    // Cycles by which a core begins a block later.
    Cycle block_delay(CoreId core);
    // Cycles that a signal between cores takes more.
    Cycle signal_delay();
    // Whether the younger of two instructions that are in flight on a pipe which does not work in
    // order has its data first.
    bool overtakes();
    // Which block is dispatched when: those that run at once in another order, and none of them
    // behind a later group.
    std::vector<uint32_t> block_order(uint32_t blocks, uint32_t at_once);

 private:
    // By the model; one cycle; much more than that; any of these by instruction.
    enum class Pace : uint8_t { kModel, kQuick, kSlow, kMixed };
    struct CorePaces {
        bool drawn = false;
        std::array<Pace, kPipeCount> pipes{};
        Pace scalar = Pace::kModel;
        Cycle late = 0;  // until it begins
    };

    CorePaces& paces(CoreId core);
    void draw(CorePaces& paces, CoreType type);
    uint64_t random();
    uint64_t below(uint64_t limit) { return random() % limit; }
    // From 0 to about 2^bits, each power of two as probable as the others.
    Cycle some_cycles(unsigned bits) { return below(uint64_t{1} << (1 + below(bits))); }

    unsigned number_;
    uint64_t state_;
    std::array<std::vector<CorePaces>, 2> cores_;  // by type
};

}  // namespace ptosim
