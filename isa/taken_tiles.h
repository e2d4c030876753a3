// Tiles that an instruction takes for something else than they are declared as.
#pragma once

#include <algorithm>
#include <iterator>

#include "isa/arch.h"
#include "isa/instruction.h"

namespace ptosim {

// Where a move (operand 0 its target, 1 its source) goes by other rows and columns than those of
// its target's declaration: layout names as layout_name() has them.
struct TakenTarget {
    Opcode opcode;
    ArchCondition on;
    Space from;
    std::string_view from_layout;
    Space to;
    std::string_view declared, taken;
};
inline constexpr TakenTarget kTakenTargets[] = {
    // Columns of blocks, as long as the rows of the declaration are
    // (hw-native-sys/pto-isa include/pto/npu/a5/TInsert.hpp, TInsertVecToMatImpl).
    {Opcode::kTINSERT, &ArchTraits::reaches_other_cores, Space::kUB, "NZ", Space::kL1, "ZZ", "NZ"},
};
constexpr bool may_take_otherwise(Opcode opcode) {
    return std::any_of(std::begin(kTakenTargets), std::end(kTakenTargets),
                       [&](const TakenTarget& row) { return row.opcode == opcode; });
}

// Makes the target what it is taken for: rows and columns change places, and all of it is valid.
// Every front end does so with what it is about to issue, and before it asks whether that is legal.
void take_target(Instruction& instruction, Arch arch);

}  // namespace ptosim
