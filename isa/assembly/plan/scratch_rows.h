// Scratch tiles of instructions, row by row: what the assembler makes for a2a3 where a text leaves
// them to it, and what it asks of those that a text has (hw-native-sys/PTOAS v0.60,
// lib/PTO/Transforms/PTOMaterializeImplicitTmp.cpp and lib/PTO/IR/PTO.cpp).
#pragma once

#include <optional>
#include <string>

#include "isa/instruction.h"

namespace ptosim::assembly {

// An instruction with its scratch, its first destination and its first source; null if it has none.
struct Scratched {
    const Instruction& instruction;
    const Tile* tmp = nullptr;
    const Tile* dst = nullptr;
    const Tile* src = nullptr;
};

struct ScratchRow {
    Opcode opcode;
    // The tile that the instruction needs; nothing if it needs none. Extents below 0 are open.
    std::optional<Tile> (*made)(const Instruction&);
    // What the scratch of a text lacks; empty if it will do. Null: nothing is asked. `tmp` and
    // `dst` are there.
    std::string (*lacks)(const Scratched&) = nullptr;
    bool asked_on_a5 = false;
};
// Null if the instruction has no rule for its scratch.
const ScratchRow* scratch_row(Opcode opcode);

}  // namespace ptosim::assembly
