// Cache of instructions that have passed the checks of legality and of on-chip addresses, with their cost. Loops issue
// the same few instructions repeatedly, and a lookup is several times faster than the checks.
//
// Two instructions are the same if the checks cannot distinguish them. Everything counts except the addresses of global
// views: the checks depend only on their remainder modulo 512. The cache does not record whether a view lies in an
// allocation.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <vector>

#include "isa/core/kernel.h"
#include "sim/machine/core/control.h"
#include "sim/machine/timing/cost.h"

namespace ptosim {

// The result of a successful validation: the instruction may be issued, at this cost.
struct ValidatedInstruction {
    Cost cost;
    uint64_t id = 0;  // unique; 0: the result is not cached
};

// An instruction that takes the same way at each issue.
struct KnownInstruction : ReadyInstruction {
    Instruction complete;  // as its core completes it
    ValidatedInstruction validated;
    Pipe pipe = Pipe::kS;
    Form form = Form::kData;
};

class ValidationCache {
 public:
    ValidationCache() : lines_(kLines) {}

    // The line of an instruction on this type of core, and whether the line holds it. Valid until the next call.
    struct Lookup {
        uint32_t line;
        bool hit;
    };
    Lookup find(const Instruction& instruction, CoreType core) const;
    // Stores an instruction in its line. Returns the new entry.
    const ValidatedInstruction& add(Lookup lookup, const Instruction& instruction, CoreType core,
                                    const Cost& cost);
    // The entry of a hit.
    const ValidatedInstruction& at(Lookup lookup) const { return lines_[lookup.line]->validated; }
    // Returns the entry of an instruction that was offered before and is still in its line, as
    // `given` and as completed; null: there is none. It lives until clear().
    const KnownInstruction* keep(const Instruction& given, const Instruction& complete,
                                 CoreType core, Pipe pipe);
    // Must not be called while instructions are in flight.
    void clear() {
        lines_ = std::vector<std::unique_ptr<Line>>(kLines);
        known_.clear();
    }

 private:
    static constexpr uint32_t kLines = 2048;
    struct Line {
        CoreType core = CoreType::kAIC;
        Instruction instruction;
        ValidatedInstruction validated;
        const KnownInstruction* known = nullptr;
        bool offered = false;  // to keep()
    };
    static constexpr size_t kMostKnown = 8192;
    std::vector<std::unique_ptr<Line>> lines_;  // null until needed: most kernels use few
    std::deque<KnownInstruction> known_;
    uint64_t last_id_ = 0;
};

}  // namespace ptosim
