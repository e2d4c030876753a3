// Legality rules that rows of the instruction table name. Each looks at one instruction, has no
// effect, and reports the first thing that it finds wrong (codes: isa/DIAGNOSTICS.md).
//
// check_legality() runs check_operands() first: when a rule runs, operands are present, of the
// right kind and in an allowed memory, tiles are well-formed, and the first source has a type that
// the row lists.
#pragma once

#include <string>
#include <string_view>

#include "isa/instruction_table.h"

namespace ptosim::rules {

#define PTO_RULE(NAME, CODES, TEXT) \
    bool NAME(const Instruction&, const InstructionInfo&, Arch, Problem&);
#include "isa/legality_rules.def"
#undef PTO_RULE

// A rule in words.
struct RuleText {
    LegalityRule rule;
    std::string_view name;   // "same_types"
    std::string_view codes;  // those that it reports, separated by spaces
    std::string_view text;   // what must hold
};
std::span<const RuleText> all_rules();
// Null for a function that is no rule.
const RuleText* describe(LegalityRule rule);

// Shape, address and layout of one tile, whatever the instruction
// (hw-native-sys/pto-isa include/pto/common/pto_tile.hpp, static assertions of Tile). Of scratch,
// nobody looks at the valid region; what is only filled in L1 is bytes, whatever its rows (blocks
// of channels of a convolution tile). `who` names the tile in messages.
bool check_tile(const Tile& tile, bool scratch, bool filled, const std::string& who, int operand,
                Problem& problem);

// What the fixpipe can make of an accumulator, on the way to `space` (kCount: global memory).
bool accumulator_types(DType from, DType to, bool scaled, Space space, Arch arch, int operand,
                       Problem& problem);

// TLOAD and TTRANS of convolution tiles.
bool convolution_load(const Instruction& instruction, const InstructionInfo& row, Arch arch,
                      Problem& problem);
bool convolution_turn(const Instruction& instruction, const InstructionInfo& row, Arch arch,
                      Problem& problem);

// Whether a tile holds the lanes that the valid region of another one names: what the hardware then
// works on, for it goes by the destination (hw-native-sys/pto-isa include/pto/common/debug.h: its
// checks are not in what is built to run).
bool holds_lanes(const Tile& tile, const Tile& of);

// For rules: fills `problem` and returns false.
bool fail(Problem& problem, std::string_view code, int operand, std::string message,
          std::string hint = {});
// T-codes and S-codes: the same of an operand whose type or valid region is not one of those
// allowed.
bool wrong_type(Problem& problem, const InstructionInfo& row, std::string_view code,
                unsigned operand, DType found, DTypeSet allowed);
bool wrong_valid(Problem& problem, const InstructionInfo& row, std::string_view code,
                 unsigned operand, const Tile& tile, const std::string& needed);
// Whether an optional operand is there.
bool given(const Instruction& instruction, unsigned operand);
bool same_lanes(const Tile& a, const Tile& b);  // equal valid regions
// "operand 'src1'".
std::string operand_text(const InstructionInfo& row, unsigned operand);
std::string shape_text(int64_t rows, int64_t cols);  // "16x200"
std::string valid_text(const Tile& tile);            // the same of a valid region

}  // namespace ptosim::rules
