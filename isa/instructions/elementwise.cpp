// Tile with tile: dst(i, j) = src0(i, j) op src1(i, j).
#include "isa/instructions/assembler_rules.h"
#include "isa/instructions/row.h"
#include "isa/semantics/flush.h"
#include "isa/semantics/implementation_defined.h"
#include "isa/semantics/tile_regions.h"
#include "isa/semantics/undefined_behaviour.h"
#include "isa/semantics/walks.h"

namespace ptosim::semantics {

void TADD(const Execution& e) { binary(e, loops::kAdd); }
void TSUB(const Execution& e) { binary(e, loops::kSub); }
void TMUL(const Execution& e) { binary(e, loops::kMul); }
void TDIV(const Execution& e) { binary(e, quotients(e)); }
void TMAX(const Execution& e) { binary(e, greatest(e.numerics)); }
void TMIN(const Execution& e) { binary(e, least(e.numerics)); }
void TAND(const Execution& e) { binary(e, loops::kAnd); }
void TOR(const Execution& e) { binary(e, loops::kOr); }
void TXOR(const Execution& e) { binary(e, loops::kXor); }
void TSHL(const Execution& e) { binary(e, left_shifts(e)); }
void TSHR(const Execution& e) { binary(e, right_shifts(e)); }

}  // namespace ptosim::semantics

namespace ptosim::rows {

// True if the scratch, operand 3, shares bytes with another operand: the others may be one tile (pto-isa a2a3/TXor.hpp).
static bool shares_scratch(const Instruction& instruction) {
    if (instruction.operand_count < 4 || !instruction.operands[3].is_tile()) return false;
    const Tile& scratch = instruction.tile(3);
    for (unsigned i = 0; i < 3; ++i) {
        const Tile& other = instruction.tile(i);
        if (other.address < scratch.address + scratch.touched_bytes() &&
            scratch.address < other.address + other.touched_bytes())
            return true;
    }
    return false;
}

#include "isa/instructions/elementwise.def"
}  // namespace ptosim::rows
