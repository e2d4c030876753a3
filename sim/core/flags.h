// The flags of a core, by (source pipe, destination pipe, id).
//
// CANN SetFlag/WaitFlag: a set makes the bit 1; a wait holds its pipe while the bit is 0 and
// clears it when it passes. A second set on a bit that is already 1 loses a token, unless the chip
// file says that flags hold more (`flags.sets`): then waits take them in order.
#pragma once

#include <array>
#include <deque>
#include <map>
#include <memory>
#include <vector>

#include "isa/diagnostic.h"
#include "isa/instruction.h"
#include "isa/pipe.h"
#include "sim/event/event_queue.h"

namespace ptosim {

class FlagFile {
 public:
    FlagFile(unsigned ids, unsigned sets, EventQueue& event_queue)
        : ids_{ids}, sets_{sets}, flags_(kPipeCount * kPipeCount * ids) {
        for (auto& arrived : arrived_) arrived = std::make_unique<Wakeup>(event_queue);
    }

    struct Set {
        uint64_t sequence = 0;
        Cycle time = 0;
        SourceLocation location;
    };
    struct Flag : Set {  // the set that the next wait takes
        bool set = false;
        bool set_known = false, wait_known = false;  // legal
    };
    // Whether another set would be lost.
    bool full(const Flag& flag) const {
        if (!flag.set) return false;
        const auto later = later_.find(&flag);
        return 1 + (later == later_.end() ? 0 : later->second.size()) >= sets_;
    }
    // A set that is lost becomes the one that is there.
    void add(Flag& flag, Set set) {
        if (flag.set && !full(flag)) {
            later_[&flag].push_back(set);
            return;
        }
        static_cast<Set&>(flag) = set;
        flag.set = true;
    }
    void take(Flag& flag) {
        flag.set = false;
        if (sets_ == 1) return;
        auto& later = later_[&flag];
        if (later.empty()) return;
        static_cast<Set&>(flag) = later.front();
        flag.set = true;
        later.pop_front();
    }
    // Whether a set or wait of this flag has been found legal; null for other instructions and for
    // flags that are not there.
    bool* known(const Instruction& instruction) {
        const bool wait = instruction.opcode == Opcode::kWAIT_FLAG;
        const Attributes& a = instruction.attributes;
        if ((!wait && instruction.opcode != Opcode::kSET_FLAG) || a.event_id >= ids_ ||
            a.source_pipe >= Pipe::kAll || a.destination_pipe >= Pipe::kAll)
            return nullptr;
        Flag& flag = at(a.source_pipe, a.destination_pipe, a.event_id);
        return wait ? &flag.wait_known : &flag.set_known;
    }
    Flag& at(Pipe source, Pipe destination, unsigned id) {
        return flags_[(static_cast<size_t>(source) * kPipeCount +
                       static_cast<size_t>(destination)) *
                          ids_ +
                      id];
    }
    unsigned ids() const { return ids_; }
    // Notified when a flag towards this pipe is set.
    Wakeup& arrived(Pipe destination) { return *arrived_[static_cast<size_t>(destination)]; }
    void clear() {
        for (Flag& flag : flags_) flag = {};
        later_.clear();
    }

 private:
    unsigned ids_, sets_;
    std::vector<Flag> flags_;
    std::map<const Flag*, std::deque<Set>> later_;  // of flags that hold more than one
    std::array<std::unique_ptr<Wakeup>, kPipeCount> arrived_;
};

}  // namespace ptosim
