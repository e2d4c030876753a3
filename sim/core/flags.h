// The flags of a core: one bit per (source pipe, destination pipe, id).
//
// CANN SetFlag/WaitFlag: a set makes the bit 1; a wait holds its pipe while the bit is 0 and
// clears it when it passes. A second set on a bit that is already 1 loses a token.
#pragma once

#include <array>
#include <memory>
#include <vector>

#include "isa/diagnostic.h"
#include "isa/instruction.h"
#include "isa/pipe.h"
#include "sim/timing/agenda.h"

namespace ptosim {

class FlagFile {
 public:
    FlagFile(unsigned ids, Agenda& agenda) : ids_{ids}, flags_(kPipeCount * kPipeCount * ids) {
        for (auto& arrived : arrived_) arrived = std::make_unique<Wakeup>(agenda);
    }

    struct Flag {
        bool set = false;
        bool set_known = false, wait_known = false;  // legal
        uint64_t sequence = 0;                       // of the set
        Cycle time = 0;                              // of the set
        SourceLocation location;                     // of the set
    };
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
    }

 private:
    unsigned ids_;
    std::vector<Flag> flags_;
    std::array<std::unique_ptr<Wakeup>, kPipeCount> arrived_;
};

}  // namespace ptosim
