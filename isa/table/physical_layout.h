// Where boxes of L0A, L0B and L0C are, as the implementation of an instruction computes it.
//
// A tile in boxes has a pitch: how far its columns (NZ) or rows (ZN, ZZ) of boxes are apart. The
// cube is given m, k and n and no pitch: it takes boxes as packed around what is valid. Moves and
// stores take the pitch from the tile's shape, or pack as well where the tile is compact. Two
// instructions that derive the pitch of the same bytes from different fields may disagree.
#pragma once

#include "isa/table/instruction_traits.h"

namespace ptosim {

// Between the packed boxes of the valid region.
int32_t packed_pitch(const Tile& tile);

// From which field the instruction derives the operand's pitch; nothing where it has no rule for
// it, and uses the operand as it is declared.
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
// PitchFrom::kOpenRows: front ends declare the tile compact, or not, by what they know of its type.
// `open`: its valid rows are not known before run time.
inline void declare_rows(Tile& tile, bool open) {
    if (tile.space == Space::kL0C) tile.compact = open ? Compact::kNormal : Compact::kNull;
}

// The pitch that the instruction uses the operand with.
int32_t used_pitch(const Instruction& instruction, unsigned operand, Arch arch);
// Of all of its tiles.
struct PitchList {
    std::array<int32_t, Instruction::kMaxOperands> pitches{};
    bool as_declared = true;  // all are those of the operands
};
PitchList used_pitches(const Instruction& instruction, Arch arch);

}  // namespace ptosim
