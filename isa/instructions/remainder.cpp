// Remainders and powers.
#include "isa/instructions/remainder_rules.h"
#include "isa/instructions/row.h"
#include "isa/semantics/tile_regions.h"
#include "isa/semantics/undefined_behaviour.h"
#include "isa/semantics/walks.h"

namespace ptosim::semantics {

namespace {

const BinaryLoops& remainders(const Execution& e) {
    return is_a5(e.numerics) && bits(e.tile(0).dtype) == 64 ? loops::kWideRem : loops::kRem;
}
// On a5, 16-bit floats become f32 and back (profile rule power-in-f32).
const BinaryLoops& powers(const Execution& e) { return is_a5(e.numerics) ? loops::kPowInF32 : loops::kPow; }

}  // namespace

void TREM(const Execution& e) { binary(e, remainders(e)); }
void TREMS(const Execution& e) { binary_scalar(e, remainders(e)); }
void TFMOD(const Execution& e) { binary(e, loops::kFmod); }
void TFMODS(const Execution& e) { binary_scalar(e, loops::kFmod); }
void TPOW(const Execution& e) { binary(e, powers(e)); }
void TPOWS(const Execution& e) { binary_scalar(e, powers(e)); }

// ---- functions that its rows name ------------------------------------------------------------

namespace {

// hw-native-sys/pto-isa docs/isa/{TREM,TREMS,TPOW}.md: "tmp".
uint64_t scratch_of_remainder(const Instruction& instruction) {
    const Tile& dst = instruction.tile(0);
    return bytes(dst.dtype, static_cast<size_t>(dst.cols + (dst.cols + 63) / 64 * 2));
}
uint64_t scratch_of_scalar_remainder(const Instruction& instruction) {
    const Tile& dst = instruction.tile(0);
    return bytes(dst.dtype, static_cast<size_t>(dst.valid_cols));
}

// hw-native-sys/pto-isa include/pto/npu/a2a3/{TRem,TRemS}.hpp: the product of quotient and divisor is
// in dst when the dividend is read again, and both are needed for the sign; scratch has the quotient.
constexpr std::array kRemainderWrites{EarlyWrite{0, 1}, EarlyWrite{0, 2}, EarlyWrite{3, 0},
                                      EarlyWrite{3, 1}, EarlyWrite{3, 2}};
constexpr std::array kScalarRemainderWrites{EarlyWrite{0, 1}, EarlyWrite{3, 0}, EarlyWrite{3, 1}};

// The result if dst is an operand that later steps still read, element for element (TFmod.hpp, TFmodS.hpp, TRem.hpp,
// TRemS.hpp). If dst is the dividend, the product of quotient and divisor is subtracted from itself (in TFMODS, the
// scalar divisor from itself); if dst is the divisor of TFMOD, the quotient is multiplied by itself.
bool remainder_over_source(const Execution& e, const EarlyWrite& write) {
    const Opcode opcode = e.instruction.opcode;
    const Tile &dst = e.tile(0), &read = e.tile(write.read);
    const bool over_divisor = write.read == 2;
    if (write.written != 0 || dst.address != read.address || dst.pitch != read.pitch ||
        dst.dtype != DType::kF32 || (over_divisor && opcode != Opcode::kTFMOD))
        return false;
    const auto rest = [=](float a, float b) {
        const float quotient = std::trunc((opcode == Opcode::kTFMODS ? b : a) / b);
        if (over_divisor) return sub(a, mul(quotient, quotient));
        const float product = mul(quotient, b);
        return sub(product, product);
    };
    const bool has_scalar = !e.instruction.operands[2].is_tile();
    const float scalar = has_scalar ? scalar_as<float>(e.scalar(2)) : 0.0F;
    const auto run = [&](const Run& lanes) {
        for (int64_t at = 0; at < 4 * lanes.count; at += 4)
            store(lanes.out + at, rest(load<float>(lanes.in[0] + at),
                                       has_scalar ? scalar : load<float>(lanes.in[1] + at)));
    };
    if (has_scalar)
        walk(e, {0, 1}, run);
    else
        walk(e, {0, 1, 2}, run);
    return true;
}

}  // namespace

}  // namespace ptosim::semantics

namespace ptosim::rows {
#include "isa/instructions/remainder.def"
}  // namespace ptosim::rows
