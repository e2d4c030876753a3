// Legality rules that families of instructions share, and the building blocks of all rules. Rules for a single family
// are in its sources (isa/instructions/).
//
// check_legality() runs check_operands() first: when a rule runs, operands are present, of the right kind and in an
// allowed memory, tiles are well-formed, and the first source has a type that the row lists.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "isa/table/instruction_table.h"

namespace ptosim {

// Checks an instruction against its row, before any effect. Returns false and fills `problem` with
// the first rule that it breaks; a rule that the hardware does not check counts only if no other
// rule is broken.
bool check_legality(const Instruction& instruction, Arch arch, Problem& problem);

namespace rules {

// Rule that holds for every instruction.
extern const LegalityRule check_operands;
// Types and shapes of instructions that work element by element.
extern const LegalityRule same_types, scalar_type, same_valid, unboxed;
// Shapes of reductions.
extern const LegalityRule row_reduction, column_reduction;
// Rules for the memory and the order of operands; the row's traits give the exact requirements.
extern const LegalityRule scratch, apart, read_in_time;

// check_operands and the rules of all rows, by name.
std::vector<const LegalityRule*> all_rules();

// Checks shape, address and layout of one tile, independent of the instruction (hw-native-sys/pto-isa
// include/pto/common/pto_tile.hpp, static assertions of Tile). The valid region of scratch is ignored. A tile that is
// only filled in L1 counts as bytes, whatever its rows (blocks of channels of a convolution tile). `who` names the tile
// in messages.
bool check_tile(const Tile& tile, bool scratch, bool filled, const std::string& who, int operand,
                Problem& problem);

// The operand to which a row's TYPES refer: the first source with a type (a scalar only if there is no tile or view
// among the sources), else the destination. Null without operands.
const Operand* first_typed_source(const Instruction& instruction, const InstructionInfo& row,
                                  unsigned& index);
DType dtype_of(const Operand& operand);

// Conversions of an accumulator that the fixpipe supports, on the way to `space` (kCount: global memory).
bool accumulator_types(DType from, DType to, bool scaled, Space space, Arch arch, int operand,
                       Problem& problem);

// Operands `fp` and `preQuantScalar` at `first` and `first` + 1: at most one, only out of L0C; the
// table has a 64-bit parameter for each of `cols` columns.
bool check_scales(const Instruction& instruction, const InstructionInfo& row, const Tile& from,
                  unsigned first, int cols, Problem& problem);

// Loads and changes of layout of convolution tiles.
bool convolution_load(const Instruction& instruction, const InstructionInfo& row, Arch arch,
                      Problem& problem);
bool convolution_turn(const Instruction& instruction, const InstructionInfo& row, Arch arch,
                      Problem& problem);

// True if a tile has room for the lanes of another tile's valid region. The hardware uses the valid region of the
// destination and does not check the valid regions of the others (hw-native-sys/pto-isa include/pto/common/debug.h:
// release builds omit its checks).
bool holds_lanes(const Tile& tile, const Tile& of);

// A scalar that becomes an element, as C++ converts an argument: no floats for integer elements.
bool check_scalar(const Instruction& instruction, const InstructionInfo& row, unsigned operand,
                  DType element, Problem& problem);

// The first requires an operand that is ND or, if `column_allowed`, DN with one column; the second an operand whose
// valid region is not empty.
bool check_row_major(const Instruction& instruction, const InstructionInfo& row, unsigned operand,
                     bool column_allowed, Problem& problem);
bool check_not_empty(const Instruction& instruction, const InstructionInfo& row, unsigned operand,
                     Problem& problem);

// Types of indices.
inline constexpr DTypeSet kIndex32{DType::kI32, DType::kU32};
// Number of channels in a block of 32 bytes.
constexpr int c0_of(DType type) { return static_cast<int>(32 * 8 / bits(type)); }

// For rules: fills `problem` and returns false.
bool fail(Problem& problem, std::string_view code, int operand, std::string message,
          std::string hint = {});
// T-codes and S-codes: the same for an operand whose type or valid region is not among the allowed ones.
bool wrong_type(Problem& problem, const InstructionInfo& row, std::string_view code,
                unsigned operand, DType found, DTypeSet allowed);
bool wrong_valid(Problem& problem, const InstructionInfo& row, std::string_view code,
                 unsigned operand, const Tile& tile, const std::string& needed);
// True if an optional operand is present.
bool given(const Instruction& instruction, unsigned operand);
bool same_lanes(const Tile& a, const Tile& b);  // equal valid regions
// "operand 'src1'".
std::string operand_text(const InstructionInfo& row, unsigned operand);
std::string shape_text(int64_t rows, int64_t cols);  // "16x200"
std::string valid_text(const Tile& tile);            // the same of a valid region

}  // namespace rules

}  // namespace ptosim
