// Processing of accumulators on their way out of L0C: relu, conversion and quantisation; and the effect of an atomic
// store at its target.
#pragma once

#include <optional>

#include "isa/semantics/grid.h"
#include "isa/semantics/lanes.h"

namespace ptosim::semantics {

// Moves the elements of `from` to the elements of `to`: computes max(x, 0) if `relu`, converts from `source_type` to
// `target_type` (round to nearest even, overflow to infinity or by the low bits), and combines the result with the
// present values if `atomic`.
struct Conversion {
    DType source_type;
    DType target_type;
    ReluMode relu = ReluMode::kNone;
    AtomicMode atomic = AtomicMode::kNone;
    RoundMode hif8_rounding = RoundMode::kRint;

    bool is_copy() const {
        return source_type == target_type && relu == ReluMode::kNone && atomic == AtomicMode::kNone;
    }
};
// Source of the scales of a quantising move: a row of 64-bit parameters in the fixpipe's table, one per column, or one
// scalar for all.
struct Scales {
    const Tile* tile = nullptr;
    const std::byte* bytes = nullptr;
    int first_column = 0;  // of the table
    Scalar scalar;
};
// Operands `fp` and `preQuantScalar` at `first` and `first` + 1; nothing if neither is there.
std::optional<Scales> scales_of(const Execution& e, unsigned first, int first_column = 0);

// Rounding of scaled values to hif8 (profile rule fixpipe-hif8-away).
constexpr RoundMode hif8_rounding(Numerics numerics) {
    return is_a5(numerics) ? RoundMode::kRound : RoundMode::kRint;
}

// f32 or i32 to i8, u8, f16, bf16 or i16 with a scale; relu comes after it
// (hw-native-sys/pto-isa include/pto/common/type.hpp, QuantMode_t: (V)QF322B8, (V)REQ8, (V)DEQF16,
// (V)SHIFTS322S16 and their relatives).
void quantise_elements(const Conversion& conversion, const Scales& scales, std::byte* target,
                       const Grid& to, const std::byte* source, const Grid& from);

void convert_elements(const Conversion& conversion, std::byte* target, const Grid& to,
                      const std::byte* source, const Grid& from);

}  // namespace ptosim::semantics
