// The flags of a core: one bit per (source pipe, destination pipe, id).
//
// CANN SetFlag/WaitFlag: a set makes the bit 1; a wait holds its pipe while the bit is 0 and
// clears it when it passes. A second set on a bit that is already 1 loses a token.
#pragma once

#include <array>
#include <memory>
#include <vector>

#include "isa/diagnostic.h"
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
        uint64_t sequence = 0;    // of the set
        Cycle time = 0;           // of the set
        SourceLocation location;  // of the set
    };
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
