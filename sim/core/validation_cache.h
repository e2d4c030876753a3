// Instructions that have passed the checks of legality and of on-chip addresses, with their cost.
// Loops issue the same few again and again; looking one up is several times faster than checking
// it.
//
// Two instructions are the same if the checks cannot distinguish them: everything counts but the
// addresses of global views, of which the checks see the remainder modulo 512 only. Whether a view
// lies in an allocation is not kept.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "isa/core/instruction.h"
#include "sim/timing/cost.h"

namespace ptosim {

// Results of validating an instruction: it may be issued, at this cost.
struct ValidatedInstruction {
    Cost cost;
    uint64_t id = 0;  // no other one has it; 0: it is not kept
};

class ValidationCache {
 public:
    ValidationCache() : lines_(kLines) {}

    // Where an instruction of such a core belongs, and whether it is there; valid until the next
    // call.
    struct Lookup {
        uint32_t line;
        bool hit;
    };
    Lookup find(const Instruction& instruction, CoreType core) const;
    // Takes the line that was looked up. Returns its entry.
    const ValidatedInstruction& add(Lookup lookup, const Instruction& instruction, CoreType core,
                                    const Cost& cost);
    // Of a hit.
    const ValidatedInstruction& at(Lookup lookup) const { return lines_[lookup.line]->validated; }
    void clear() { lines_ = std::vector<std::unique_ptr<Line>>(kLines); }

 private:
    static constexpr uint32_t kLines = 2048;
    struct Line {
        CoreType core = CoreType::kAIC;
        Instruction instruction;
        ValidatedInstruction validated;
    };
    std::vector<std::unique_ptr<Line>> lines_;  // null until they are needed: most kernels use few
    uint64_t last_id_ = 0;
};

}  // namespace ptosim
