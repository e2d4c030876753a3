// Tile with tile: dst(i, j) = src0(i, j) op src1(i, j).
#include "isa/semantics/elementwise.h"
#include "isa/instructions/assembler_rules.h"
#include "isa/instructions/row.h"
#include "isa/semantics/flush.h"
#include "isa/semantics/implementation_defined.h"
#include "isa/semantics/tile_regions.h"
#include "isa/semantics/undefined_behaviour.h"

namespace ptosim::semantics {

namespace {

// Lane functions as arguments: they are overloaded for every element type.
#define PTO_LANES(FUNCTION) [](auto a, auto b) { return FUNCTION(a, b); }
#define PTO_HALF_LANES(NAME, OPERATION, FUNCTION)                        \
    struct NAME {                                                        \
        static constexpr HalfOperation kHalf = HalfOperation::OPERATION; \
        template <typename T>                                            \
        T operator()(T a, T b) const {                                   \
            return FUNCTION(a, b);                                       \
        }                                                                \
    };
PTO_HALF_LANES(Add, kAdd, add_lane)
PTO_HALF_LANES(Sub, kSub, sub_lane)
PTO_HALF_LANES(Mul, kMul, mul_lane)
PTO_HALF_LANES(Div, kDiv, div_lane)

}  // namespace

void TADD(const Execution& e) { binary(e, Add{}); }
void TSUB(const Execution& e) { binary(e, Sub{}); }
void TMUL(const Execution& e) { binary(e, Mul{}); }
void TDIV(const Execution& e) {
    if (is_a5(e.numerics) && bits(e.tile(0).dtype) == 64)
        binary(e, divides(e, PTO_LANES(div_lane)));
    else if (flushes(e))
        run_flushing(e, PTO_LANES(div_lane), [&](auto lane) { binary(e, lane); });
    else
        binary(e, Div{});
}
void TMAX(const Execution& e) { binary(e, Greatest{e.numerics}); }
void TMIN(const Execution& e) { binary(e, Least{e.numerics}); }

#undef PTO_HALF_LANES
#undef PTO_LANES

namespace {

template <typename F>
void binary_integer(const Execution& e, F&& f) {
    visit_integer(e.tile(0).dtype, [&](auto type) { map_binary<decltype(type)>(e, 0, 1, 2, f); });
}

template <typename F>
void binary_bits(const Execution& e, F&& f) {
    visit_bits(e.tile(0).dtype, [&](auto type) { map_binary<decltype(type)>(e, 0, 1, 2, f); });
}

}  // namespace

void TAND(const Execution& e) {
    binary_bits(e, [](auto a, auto b) { return static_cast<decltype(a)>(a & b); });
}
void TOR(const Execution& e) {
    binary_bits(e, [](auto a, auto b) { return static_cast<decltype(a)>(a | b); });
}
void TXOR(const Execution& e) {
    binary_bits(e, [](auto a, auto b) { return static_cast<decltype(a)>(a ^ b); });
}
void TSHL(const Execution& e) {
    if (e.numerics == Numerics::kIEEE)
        binary_integer(e, [](auto a, auto b) { return shl_lane(a, b); });
    else
        binary_integer(e, [](auto a, auto b) { return shl_all_lane(a, b); });
}
void TSHR(const Execution& e) {
    if (e.numerics == Numerics::kIEEE)
        binary_integer(e, [](auto a, auto b) { return shr_lane(a, b); });
    else
        binary_integer(e, [](auto a, auto b) { return shr_all_lane(a, b); });
}

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
