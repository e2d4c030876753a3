// Instructions that have passed the checks of legality and of on-chip addresses. Loops issue the
// same few again and again; looking one up is several times faster than checking it. What they cost
// is kept with them.
//
// What the checks look at decides what counts as the same: everything but the addresses of global
// views, which are known modulo 512 only. Whether a view lies in an allocation is not remembered.
#pragma once

#include <cstdint>
#include <vector>

#include "isa/instruction.h"
#include "sim/timing/cost.h"

namespace ptosim {

class KnownInstructions {
 public:
    KnownInstructions() : slots_(kSlots) {}

    // Where an instruction of such a core belongs; valid until the next call.
    struct Place {
        uint32_t slot;
        bool known;
    };
    Place find(const Instruction& instruction, CoreType core) const;
    struct Known {
        Cost cost;
        uint64_t number = 0;  // no other one has it; 0: it is not kept
    };
    // Returns it as it is kept.
    const Known& add(Place place, const Instruction& instruction, CoreType core, const Cost& cost);
    // Of a known instruction.
    const Known& at(Place place) const { return slots_[place.slot].known; }
    void forget() { slots_.assign(kSlots, {}); }

 private:
    static constexpr uint32_t kSlots = 2048;
    struct Slot {
        bool used = false;
        CoreType core = CoreType::kAIC;
        Instruction instruction;
        Known known;
    };
    std::vector<Slot> slots_;
    uint64_t last_number_ = 0;
};

}  // namespace ptosim
