// Abilities of the fixpipe on the way out of L0C, for the rules of stores and moves.
#include "isa/core/arch.h"
#include "isa/legality/legality.h"

namespace ptosim::rules {

using enum DType;

// Operands `fp` and `preQuantScalar` at `first` and `first` + 1: at most one, only out of L0C; the
// table has a 64-bit parameter for each of `cols` columns.
bool check_scales(const Instruction& instruction, const InstructionInfo& row, const Tile& from,
                  unsigned first, int cols, Problem& problem) {
    const auto given = [&](unsigned i) {
        return i < instruction.operand_count && instruction.operands[i].present();
    };
    if (!given(first) && !given(first + 1)) return true;
    const unsigned at = given(first) ? first : first + 1;
    if (from.space != Space::kL0C)
        return fail(problem, "P02", static_cast<int>(at),
                    operand_text(row, at) + " scales what leaves L0C, but " + operand_text(row, 1) +
                        " is in " + std::string(name(from.space)));
    if (given(first) && given(first + 1))
        return fail(problem, "T00", static_cast<int>(first + 1),
                    operand_text(row, first) + " and " + operand_text(row, first + 1) +
                        " exclude each other: a value has one scale");
    if (!given(first)) return true;
    const Tile& table = instruction.tile(first);
    if (bits(table.dtype) != 64 || !is_integer(table.dtype))
        return fail(problem, "T12", static_cast<int>(first),
                    operand_text(row, first) + " is " + std::string(name(table.dtype)) +
                        "; quantisation parameters are u64");
    if (table.valid_rows >= 1 && table.valid_cols >= cols) return true;
    return fail(problem, "S04", static_cast<int>(first),
                operand_text(row, first) + " has the valid region " + valid_text(table) +
                    "; one row of " + std::to_string(cols) + " parameters is needed");
}

// hw-native-sys/pto-isa include/pto/npu/{a2a3,a5}/TStore.hpp and common.hpp, CheckTMovAccToMat.
bool accumulator_types(DType from, DType to, bool scaled, Space space, Arch arch, int operand,
                       Problem& problem) {
    if (from != kF32 && from != kI32)
        return fail(problem, "T03", operand == 0 ? 1 : 0,
                    "accumulators are f32 or i32, not " + std::string(name(from)));
    DTypeSet allowed;
    const bool more = traits_of(arch).fixpipe_scales_to_floats;
    if (from == kF32 && !scaled) {
        allowed = {kF16, kBF16};
        if (space != Space::kL1 || more) allowed = allowed | DTypeSet{kF32};
    } else if (from == kF32) {
        allowed = {kI8, kU8};
        if (more) allowed = allowed | DTypeSet{kE4M3, kHIF8, kF16, kBF16, kF32};
    } else if (!scaled) {
        allowed = {kI32};
    } else {
        allowed = {kI8, kU8, kF16};
        if (space == Space::kL1) allowed = allowed | DTypeSet{kI16};
        if (more) allowed = allowed | DTypeSet{kBF16};
    }
    if (allowed.contains(to)) return true;
    return fail(problem, "T04", operand,
                "the fixpipe does not turn " + std::string(name(from)) + " into " +
                    std::string(name(to)) + (scaled ? " with a scale" : " without a scale") +
                    "; it makes " + to_text(allowed));
}

}  // namespace ptosim::rules
