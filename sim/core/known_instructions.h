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
    // Returns the cost, as it is kept.
    const Cost& add(Place place, const Instruction& instruction, CoreType core, const Cost& cost);
    // Of a known instruction.
    const Cost& cost(Place place) const { return slots_[place.slot].cost; }
    void forget() { slots_.assign(kSlots, {}); }

 private:
    static constexpr uint32_t kSlots = 2048;
    struct Slot {
        bool used = false;
        CoreType core = CoreType::kAIC;
        Instruction instruction;
        Cost cost;
    };
    std::vector<Slot> slots_;
};

}  // namespace ptosim
