// Tile with scalar: dst(i, j) = src(i, j) op scalar.
#include "isa/instructions/assembler_rules.h"
#include "isa/instructions/row.h"
#include "isa/semantics/elementwise.h"
#include "isa/semantics/flush.h"
#include "isa/semantics/implementation_defined.h"
#include "isa/semantics/tile_regions.h"
#include "isa/semantics/undefined_behaviour.h"

namespace ptosim::semantics {

#define PTO_LANES(FUNCTION) [](auto a, auto b) { return FUNCTION(a, b); }

void TADDS(const Execution& e) { binary_scalar(e, PTO_LANES(add_lane)); }
void TSUBS(const Execution& e) { binary_scalar(e, PTO_LANES(sub_lane)); }
void TMULS(const Execution& e) { binary_scalar(e, PTO_LANES(mul_lane)); }
void TMAXS(const Execution& e) { binary_scalar(e, Greatest{e.numerics}); }
void TMINS(const Execution& e) { binary_scalar(e, Least{e.numerics}); }

#undef PTO_LANES

namespace {

template <typename F>
void divide_by_scalar(const Execution& e, F quotient) {
    if (e.instruction.operands[1].is_tile()) return binary_scalar(e, quotient);
    visit_arithmetic(e.tile(0).dtype, [&](auto type) {
        using T = decltype(type);
        const T scalar = scalar_as<T>(e.scalar(1));
        map_unary<T>(e, 0, 2, [&](const T* a, T* out, int count) {
            for (int i = 0; i < count; ++i) out[i] = quotient(scalar, a[i]);
        });
    });
}

}  // namespace

// src / scalar, or scalar / src if the operands come in that order
// (hw-native-sys/pto-isa include/pto/common/pto_instr.hpp has both).
void TDIVS(const Execution& e) {
    const auto quotient = divides(e, [](auto a, auto b) { return div_lane(a, b); });
    run_flushing(e, quotient, [&](auto lane) { divide_by_scalar(e, lane); });
}

namespace {

template <typename F>
void integer_scalar(const Execution& e, F&& f) {
    visit_integer(e.tile(0).dtype, [&](auto type) {
        using T = decltype(type);
        const T scalar = scalar_as<T>(e.scalar(2));
        map_unary<T>(e, 0, 1, [&](const T* a, T* out, int count) {
            for (int i = 0; i < count; ++i) out[i] = static_cast<T>(f(a[i], scalar));
        });
    });
}

}  // namespace

void TANDS(const Execution& e) {
    integer_scalar(e, [](auto a, auto b) { return a & b; });
}
void TORS(const Execution& e) {
    integer_scalar(e, [](auto a, auto b) { return a | b; });
}
void TXORS(const Execution& e) {
    integer_scalar(e, [](auto a, auto b) { return a ^ b; });
}
void TSHLS(const Execution& e) {
    if (e.numerics == Numerics::kIEEE)
        integer_scalar(e, [](auto a, auto b) { return shl_lane(a, b); });
    else
        integer_scalar(e, [](auto a, auto b) { return shl_all_lane(a, b); });
}
void TSHRS(const Execution& e) {
    if (e.numerics == Numerics::kIEEE)
        integer_scalar(e, [](auto a, auto b) { return shr_lane(a, b); });
    else
        integer_scalar(e, [](auto a, auto b) { return shr_all_lane(a, b); });
}

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
