// Completes instructions as they are issued: adds what follows from the state of their core rather
// than from themselves (registers of modes and of atomic stores, fixed scratch, the pitches of
// boxes). After that, everything depends on the instruction alone.
#pragma once

#include <optional>

#include "isa/table/mode_registers.h"
#include "sim/machine/core/box_writers.h"
#include "sim/machine/core/core_state.h"

namespace ptosim {

class Completion {
 public:
    Completion(const CoreContext& core, const CoreState& state)
        : core_{core}, state_{state}, box_writers_{core} {}

    void begin_block() { box_writers_.forget(); }
    // True if the completed instruction depends on the given one alone, as long as no register of
    // the core changes.
    bool repeats(const Instruction& given) const;
    // Returns `given`, or the completed copy in `own`, which is made only if something is added.
    const Instruction& complete(const Instruction& given, std::optional<Instruction>& own);

 private:
    bool takes_atomic_mode(const Instruction& given) const;
    void take_atomic_mode(Instruction& store) const;
    const Instruction& lay_out(const Instruction& given, std::optional<Instruction>& own);

    const CoreContext& core_;
    const CoreState& state_;
    ModeRegisters mode_registers_;
    BoxWriters box_writers_;
};

}  // namespace ptosim
