// The scalar arithmetic of kernels (MLIR's arith dialect), for the interpreter and for folding constants.
//
// A value is 64 bits: integers of any signedness are sign-extended from their width (i1 is 0 or 1), floats are
// right-aligned bits.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "isa/numeric/dtype.h"

namespace ptosim::assembly {

enum class ScalarOp : uint8_t {
    kAdd,
    kSub,
    kMul,
    kDivS,
    kDivU,
    kCeilDivS,
    kCeilDivU,
    kFloorDivS,
    kRemS,
    kRemU,
    kAnd,
    kOr,
    kXor,
    kShl,
    kShrS,
    kShrU,
    kMaxS,
    kMaxU,
    kMinS,
    kMinU,
    kMulHighS,
    kMulHighU,
    kCarry,
    // Comparisons of integers, in the order of the predicates' names in compare_word().
    kEq,
    kNe,
    kSlt,
    kSle,
    kSgt,
    kSge,
    kUlt,
    kUle,
    kUgt,
    kUge,
    kAddF,
    kSubF,
    kMulF,
    kDivF,
    kRemF,
    kMaximumF,
    kMinimumF,
    kMaxNumF,
    kMinNumF,
    kCompareF,  // `predicate` says which
    // One operand.
    kNegF,
    kTruncate,
    kSignExtend,
    kZeroExtend,
    kBits,
    kConvertFloat,
    kFloatFromS,
    kFloatFromU,
    kSFromFloat,
    kUFromFloat,
};

// Reading of the operands and the result.
struct ScalarFormat {
    uint8_t width = 64;            // of integer operands; of the source of a conversion
    uint8_t to_width = 64;         // of an integer result of a conversion
    DType dtype = DType::kF32;     // of float operands; of the source of a conversion
    DType to_dtype = DType::kF32;  // of a float result of a conversion
    uint8_t predicate = 0;         // kCompareF: bit 0 equal, 1 greater, 2 less, 3 unordered

    friend bool operator==(const ScalarFormat&, const ScalarFormat&) = default;
};

// A result, or why there is none.
struct ScalarResult {
    uint64_t value = 0;
    // Empty, or a code of the catalogue with the problem ("N01", "division by zero").
    std::string_view code;
    std::string_view problem;
};

ScalarResult evaluate(ScalarOp op, const ScalarFormat& format, uint64_t a, uint64_t b);

// Sign-extends from `width` bits; i1 becomes 0 or 1.
constexpr uint64_t wrap(uint64_t value, unsigned width) {
    if (width >= 64) return value;
    if (width == 1) return value & 1;
    const unsigned shift = 64 - width;
    return static_cast<uint64_t>(static_cast<int64_t>(value << shift) >> shift);
}
// The low `width` bits.
constexpr uint64_t unsigned_bits(uint64_t value, unsigned width) {
    return width >= 64 ? value : value & ((uint64_t{1} << width) - 1);
}

// "addi" and the like, without "arith."; nothing for casts, comparisons and constants.
std::optional<ScalarOp> binary_operation(std::string_view name);
// "extsi" and the like.
std::optional<ScalarOp> conversion(std::string_view name);
// "slt" and the like.
std::optional<ScalarOp> compare_word(std::string_view predicate);
// The predicate bits of "olt" and the like.
std::optional<uint8_t> float_compare_word(std::string_view predicate);
constexpr bool is_float_operation(ScalarOp op) {
    return (op >= ScalarOp::kAddF && op <= ScalarOp::kNegF);
}

}  // namespace ptosim::assembly
