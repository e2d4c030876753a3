// What the tile instructions of one vector function of an a5 take together.
//
// A function is loops over passes of 256 bytes. What one instruction makes and a later one reads
// stays in a register; every pass loads what comes from UB and stores what leaves. Passes overlap:
// a machine takes instructions in order as long as it has a register for each result, and starts
// each when what it reads is there and one of two ports is free. A loop's time is that of its first
// passes in such a machine, and as much for each further one as for the last of these.
#pragma once

#include <unordered_map>
#include <vector>

#include "sim/timing/cost.h"

namespace ptosim {

class VectorFunction {
 public:
    explicit VectorFunction(const ChipModel& chip) : chip_{chip} {}

    // The cost of an instruction whose attributes say which position it has in
    // a function, given its cost alone: the time that it adds to the function.
    Cost cost(const Instruction& instruction, const Cost& alone);

 private:
    // In a pass: a load, or an instruction.
    struct Step {
        bool load = false;
        std::vector<uint32_t> sources;  // steps of this loop whose results it reads
        uint32_t parts = 1;             // instructions of the machine, each reading the one before
        bool stored = false;
        Milli result = 0;   // cycles until what reads it may start
        Milli special = 0;  // cycles for which it holds the unit of special functions
        uint64_t tile = 0;  // whose contents it leaves in a register
    };

    void begin();
    bool add(const Instruction& instruction);
    uint32_t in_register(const Tile& tile);
    void push(Step step);
    void close_loop();
    Cycle loop_time();
    Cycle simulate(uint64_t passes) const;

    const ChipModel& chip_;
    std::vector<Step> body_;  // of the loop that is open
    uint64_t passes_ = 0;     // of it
    uint64_t lines_ = 0;      // in which its passes are
    uint64_t shape_ = 0;      // hash of the body, for what is known
    Cycle before_ = 0;        // what the loops before it take
    Cycle charged_ = 0;       // to the instructions so far
    bool open_ = false;
    std::unordered_map<uint64_t, Cycle> known_;  // times of loops
};

}  // namespace ptosim
