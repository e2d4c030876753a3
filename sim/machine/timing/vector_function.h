// Time of the tile instructions of one vector function of an a5, together.
//
// A function consists of loops over passes of 256 bytes. If an instruction's result is read by a later one, it stays in
// a register; every pass loads operands from UB and stores results that leave. Passes overlap: a machine accepts
// instructions in order while it has a register for each result, and starts each when its operands are ready and one of
// two ports is free. The time of a loop is the time of its first passes in such a machine, plus the time of the last of
// these for each further pass.
#pragma once

#include <unordered_map>
#include <vector>

#include "sim/machine/timing/cost.h"

namespace ptosim {

class VectorFunction {
 public:
    explicit VectorFunction(const ChipModel& chip) : chip_{chip} {}

    // The cost of an instruction whose attributes give its position in a function: the time that it adds to the
    // function. `alone` is its cost outside of a function.
    Cost cost(const Instruction& instruction, const Cost& alone);

 private:
    // A load or an instruction of a pass.
    struct Step {
        bool load = false;
        std::vector<uint32_t> sources;  // steps of this loop whose results it reads
        uint32_t parts = 1;             // instructions of the machine, each reading the previous one
        bool stored = false;
        Milli result = 0;   // cycles until a reader may start
        Milli special = 0;  // cycles for which it holds the special function unit
        uint64_t tile = 0;  // tile whose contents it leaves in a register
    };

    void begin();
    bool add(const Instruction& instruction);
    uint32_t in_register(const Tile& tile);
    void push(Step step);
    void close_loop();
    Cycle loop_time();
    Cycle simulate(uint64_t passes) const;

    const ChipModel& chip_;
    std::vector<Step> body_;  // of the open loop
    uint64_t passes_ = 0;     // of the open loop
    uint64_t lines_ = 0;      // lines that contain its passes
    uint64_t shape_ = 0;      // hash of the body, the key of known_
    Cycle before_ = 0;        // time of the loops before it
    Cycle charged_ = 0;       // time charged to the instructions so far
    bool open_ = false;
    std::unordered_map<uint64_t, Cycle> known_;  // times of loops
};

}  // namespace ptosim
