// The event flags of a core, by (source pipe, destination pipe, id).
//
// A flag counts sets, up to the limit of the chip file (`flags.sets`). A wait holds its pipe while the flag has no set,
// and takes the oldest one when it passes. A set beyond the limit is lost (E07). CANN's SetFlag/WaitFlag forbids a
// second set before the wait altogether; the checkers report that (sim/check/checkers/sync.h). Sets that a launch
// leaves remain for the next launch unless the chip clears them (`flags.cleared`).
#pragma once

#include <array>
#include <deque>
#include <map>
#include <memory>
#include <vector>

#include "sim/machine/core/core_context.h"

namespace ptosim {

class FlagFile {
 public:
    explicit FlagFile(CoreContext& core);

    struct Set {
        uint64_t sequence = 0;  // of the SET_FLAG
        Cycle time = 0;
        SourceLocation location;
        bool carried = false;  // from an earlier launch, so `location` has no meaning
    };
    struct Flag : Set {  // the set that the next wait takes
        bool set = false;
        // True if a SET_FLAG or WAIT_FLAG of this flag has already passed the checks.
        bool set_legal = false, wait_legal = false;
    };

    // The flag that a SET_FLAG or WAIT_FLAG names.
    const Flag& of(const Instruction& instruction) { return at(instruction.attributes); }
    // A SET_FLAG takes effect: a waiting WAIT_FLAG is notified. If the flag is full, this reports E07 and replaces the
    // newest set.
    void set(const Instruction& instruction, uint64_t sequence);
    // A WAIT_FLAG passes: takes the oldest set.
    void take(const Instruction& instruction, uint64_t sequence);
    // True if the flag of this SET_FLAG was already set in this cycle: the waiting pipe takes that
    // set first, so this one takes effect a cycle later.
    bool set_in_this_cycle(const Instruction& set) {
        const Flag& flag = of(set);
        return flag.set && flag.time == core_.now();
    }
    // Storage for the fact that a SET_FLAG or WAIT_FLAG has passed the checks; null for other instructions and for
    // flags that do not exist.
    bool* legality(const Instruction& instruction) {
        const bool wait = instruction.opcode == Opcode::kWAIT_FLAG;
        const Attributes& a = instruction.attributes;
        if ((!wait && instruction.opcode != Opcode::kSET_FLAG) || a.event_id >= ids_ ||
            a.source_pipe >= Pipe::kAll || a.destination_pipe >= Pipe::kAll)
            return nullptr;
        return wait ? &at(a).wait_legal : &at(a).set_legal;
    }
    unsigned ids() const { return ids_; }  // flags for each pair of pipes
    // Notified when a flag with this destination pipe is set.
    Wakeup& arrived(Pipe destination) { return *arrived_[static_cast<size_t>(destination)]; }
    // A flag set in this launch, and the location of the set.
    struct Pending {
        Pipe source = Pipe::kS, destination = Pipe::kS;
        unsigned id = 0;
        SourceLocation location;
    };
    std::vector<Pending> pending() const;
    // A launch begins. Returns the number of sets that earlier launches left.
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
    std::map<const Flag*, std::deque<Set>> later_;  // further sets of flags that hold more than one
    std::array<std::unique_ptr<Wakeup>, kPipeCount> arrived_;
};

}  // namespace ptosim
