#include "isa/empty_regions.h"

#include <algorithm>

namespace ptosim {
namespace {

using enum Opcode;

enum class Where : uint8_t { kEverywhere, kA2A3Only };
enum class Without : uint8_t { kElements, kRows };

struct EmptyRegion {
    Opcode opcode;
    unsigned operand;  // whose valid region is asked
    Where where = Where::kEverywhere;
    Without without = Without::kElements;
};
constexpr EmptyRegion kEmptyRegions[] = {
    // They return before they look at anything else (TColSum.hpp and its like).
    {kTCOLSUM, 1},
    {kTCOLPROD, 1},
    {kTCOLMAX, 1},
    {kTCOLMIN, 1},
    // a5 asks for an element (TColExpand.hpp).
    {kTCOLEXPAND, 0, Where::kA2A3Only},
    {kTCOLEXPAND, 1, Where::kA2A3Only},
    // Their loops and repetitions go over rows; of a row without elements they would make one
    // (TRowReduceOps.hpp, TRowReduce.hpp, TRowExpand.hpp).
    {kTROWSUM, 1, Where::kEverywhere, Without::kRows},
    {kTROWPROD, 1, Where::kEverywhere, Without::kRows},
    {kTROWMAX, 1, Where::kEverywhere, Without::kRows},
    {kTROWMIN, 1, Where::kEverywhere, Without::kRows},
    {kTROWEXPAND, 0, Where::kEverywhere, Without::kRows},
    // Their loops go over the destination (TRowExpandBinOp.hpp, TColExpandBinOp.hpp).
    {kTROWEXPANDADD, 0},
    {kTROWEXPANDSUB, 0},
    {kTROWEXPANDMUL, 0},
    {kTROWEXPANDDIV, 0},
    {kTROWEXPANDMAX, 0},
    {kTROWEXPANDMIN, 0},
    {kTROWEXPANDEXPDIF, 0},
    {kTCOLEXPANDADD, 0},
    {kTCOLEXPANDSUB, 0},
    {kTCOLEXPANDMUL, 0},
    {kTCOLEXPANDDIV, 0},
    {kTCOLEXPANDMAX, 0},
    {kTCOLEXPANDMIN, 0},
    {kTCOLEXPANDEXPDIF, 0},
};

bool is_empty(const Tile& tile, Without without) {
    return tile.valid_rows == 0 || (without == Without::kElements && tile.valid_cols == 0);
}

}  // namespace

bool does_nothing(const Instruction& instruction, Arch arch) {
    return std::any_of(std::begin(kEmptyRegions), std::end(kEmptyRegions),
                       [&](const EmptyRegion& row) {
                           return row.opcode == instruction.opcode &&
                                  (row.where == Where::kEverywhere || arch == Arch::kA2A3) &&
                                  is_empty(instruction.tile(row.operand), row.without);
                       });
}

bool does_nothing(const Instruction& instruction) { return does_nothing(instruction, Arch::kA2A3); }

}  // namespace ptosim
