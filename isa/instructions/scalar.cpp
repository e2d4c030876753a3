// Tile with scalar: dst(i, j) = src(i, j) op scalar.
#include "isa/instructions/assembler_rules.h"
#include "isa/instructions/row.h"
#include "isa/semantics/flush.h"
#include "isa/semantics/implementation_defined.h"
#include "isa/semantics/tile_regions.h"
#include "isa/semantics/undefined_behaviour.h"
#include "isa/semantics/walks.h"

namespace ptosim::semantics {

void TADDS(const Execution& e) { binary_scalar(e, loops::kAdd); }
void TSUBS(const Execution& e) { binary_scalar(e, loops::kSub); }
void TMULS(const Execution& e) { binary_scalar(e, loops::kMul); }
void TMAXS(const Execution& e) { binary_scalar(e, greatest(e.numerics)); }
void TMINS(const Execution& e) { binary_scalar(e, least(e.numerics)); }

// src / scalar, or scalar / src if the operands come in that order
// (hw-native-sys/pto-isa include/pto/common/pto_instr.hpp has both).
void TDIVS(const Execution& e) {
    const BinaryLoops& loops = quotients(e);
    if (e.instruction.operands[1].is_tile()) return binary_scalar(e, loops);
    from_element(e, loops, scalar_bits(e.scalar(1), e.tile(0).dtype), 2);
}

void TANDS(const Execution& e) { binary_scalar(e, loops::kAnd); }
void TORS(const Execution& e) { binary_scalar(e, loops::kOr); }
void TXORS(const Execution& e) { binary_scalar(e, loops::kXor); }
void TSHLS(const Execution& e) { binary_scalar(e, left_shifts(e)); }
void TSHRS(const Execution& e) { binary_scalar(e, right_shifts(e)); }

// ---- functions that its rows name ------------------------------------------------------------

namespace {

bool divides_scalar(const Instruction& instruction) { return instruction.operands[1].is_scalar(); }

}  // namespace

}  // namespace ptosim::semantics

namespace ptosim::rows {

namespace {

// On a2a3 the rows are compared, too; columns everywhere.
void scalar_form(const WrittenOperation& op) {
    require_number(op, "scalar");
    require_same_valid(op, "src", "dst", op.for_a5() ? Extents::kColumns : Extents::kBoth);
}

void division_form(const WrittenOperation& op) {
    for (const std::string_view operand : {"src0", "src1"}) {
        if (op.tile(operand) == nullptr)
            require_number(op, operand);
        else
            require_same_valid(op, operand, "dst");
    }
}

void bitwise_scalar_form(const WrittenOperation& op) { require_different(op, "src", "dst"); }

void shift_left_form(const WrittenOperation& op) {
    op.require(op.constant("scalar").value_or(0) >= 0, "K09", "shifts by no negative constant");
}

}  // namespace

#include "isa/instructions/scalar.def"
}  // namespace ptosim::rows
