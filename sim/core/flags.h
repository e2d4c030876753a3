// The event flags of a core, by (source pipe, destination pipe, id).
//
// A flag counts sets, as many as the chip file says (`flags.sets`): a wait holds its pipe while
// there is none and takes the oldest when it passes. A set that there is no room for is lost (E07).
// By CANN's SetFlag/WaitFlag a second set before the wait is not allowed at all; that is reported
// by the checkers (sim/check/checkers/sync.h). What a launch leaves is there when the next one
// begins, unless the chip clears it (`flags.cleared`).
#pragma once

#include <array>
#include <deque>
#include <map>
#include <memory>
#include <vector>

#include "sim/core/core_context.h"

namespace ptosim {

class FlagFile {
 public:
    explicit FlagFile(CoreContext& core);

    struct Set {
        uint64_t sequence = 0;  // of the SET_FLAG
        Cycle time = 0;
        SourceLocation location;
        bool carried = false;  // from an earlier launch: `location` says nothing
    };
    struct Flag : Set {  // the set that the next wait takes
        bool set = false;
        // Whether a SET_FLAG and a WAIT_FLAG of this flag have passed the checks before.
        bool set_legal = false, wait_legal = false;
    };

    // The flag that a SET_FLAG or WAIT_FLAG names.
    const Flag& of(const Instruction& instruction) { return at(instruction.attributes); }
    // A SET_FLAG takes effect: the wait for it, if there is one, is notified. A set that the flag
    // has no room for is reported (E07) and takes the place of the newest one.
    void set(const Instruction& instruction, uint64_t sequence);
    // A WAIT_FLAG passes: it takes the oldest set.
    void take(const Instruction& instruction, uint64_t sequence);
    // Whether this is a SET_FLAG of a flag that has been set in this very cycle: the pipe that
    // waits for it takes that set first, so that this one takes effect a cycle later.
    bool set_in_this_cycle(const Instruction& instruction) {
        if (instruction.opcode != Opcode::kSET_FLAG) return false;
        const Flag& flag = of(instruction);
        return flag.set && flag.time == core_.now();
    }
    // Where it is kept whether a SET_FLAG or WAIT_FLAG has passed the checks; null for other
    // instructions and for flags that do not exist.
    bool* legality(const Instruction& instruction) {
        const bool wait = instruction.opcode == Opcode::kWAIT_FLAG;
        const Attributes& a = instruction.attributes;
        if ((!wait && instruction.opcode != Opcode::kSET_FLAG) || a.event_id >= ids_ ||
            a.source_pipe >= Pipe::kAll || a.destination_pipe >= Pipe::kAll)
            return nullptr;
        return wait ? &at(a).wait_legal : &at(a).set_legal;
    }
    unsigned ids() const { return ids_; }  // flags of each pair of pipes
    // Notified when a flag towards this pipe is set.
    Wakeup& arrived(Pipe destination) { return *arrived_[static_cast<size_t>(destination)]; }
    // Flags of this launch that are set, and the lines that have set them.
    struct Pending {
        Pipe source = Pipe::kS, destination = Pipe::kS;
        unsigned id = 0;
        SourceLocation location;
    };
    std::vector<Pending> pending() const;
    // A launch begins. Returns how many sets it finds that launches before it have left.
    unsigned begin_launch();

 private:
    Flag& at(const Attributes& a) {
        if (flags_.empty()) flags_.resize(kPipeCount * kPipeCount * ids_);
        return flags_[(static_cast<size_t>(a.source_pipe) * kPipeCount +
                       static_cast<size_t>(a.destination_pipe)) *
                          ids_ +
                      a.event_id];
    }
    bool full(const Flag& flag) const;  // another set would be lost
    void report_lost_set(const Instruction& instruction, const Flag& flag);

    CoreContext& core_;
    unsigned ids_, sets_;
    std::vector<Flag> flags_;  // empty until one is used: most chips have more cores than a kernel
    std::map<const Flag*, std::deque<Set>> later_;  // of flags that hold more than one
    std::array<std::unique_ptr<Wakeup>, kPipeCount> arrived_;
};

}  // namespace ptosim
