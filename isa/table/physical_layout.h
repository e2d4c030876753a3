// Positions of boxes in L0A, L0B and L0C, as computed by the implementation of an instruction.
//
// A tile in boxes has a pitch: the distance of its columns (NZ) or rows (ZN, ZZ) of boxes. The cube receives m, k and n
// but no pitch: it assumes boxes packed around the valid region. Moves and stores take the pitch from the tile's shape,
// or pack as well if the tile is compact. Two instructions that derive the pitch of the same bytes from different
// fields may disagree.
#pragma once

#include "isa/table/instruction_traits.h"

namespace ptosim {

// Between the packed boxes of the valid region.
int32_t packed_pitch(const Tile& tile);

// The field from which the instruction derives the operand's pitch; nothing if it has no rule for it and uses the
// operand as declared.
std::optional<PitchFrom> pitch_from(const Instruction& instruction, unsigned operand, Arch arch);
std::string_view text(PitchFrom from);
// "L0A: its valid region; ...": all rules of a row; empty if it has none.
std::string pitch_text(const InstructionInfo& row, Arch arch);

inline bool may_derive_pitches(Opcode opcode) {
    const auto& pitches = traits(opcode).pitches;
    return !pitches.a2a3.empty() || !pitches.a5.empty();
}
// True if the valid rows of an operand decide its pitch only if they are open (PitchFrom::kOpenRows).
bool may_have_open_rows(Opcode opcode);
// PitchFrom::kOpenRows: front ends declare the tile compact or not according to its type. `open`: its valid rows are
// unknown before run time.
inline void declare_rows(Tile& tile, bool open) {
    if (tile.space == Space::kL0C) tile.compact = open ? Compact::kNormal : Compact::kNull;
}

// The pitch that the instruction uses the operand with.
int32_t used_pitch(const Instruction& instruction, unsigned operand, Arch arch);
// The pitches of all its tiles.
struct PitchList {
    std::array<int32_t, Instruction::kMaxOperands> pitches{};
    bool as_declared = true;  // all are those of the operands
};
PitchList used_pitches(const Instruction& instruction, Arch arch);

}  // namespace ptosim
