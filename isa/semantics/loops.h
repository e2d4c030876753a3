// Loops over runs of lanes. Each operation has one loop for each element type, which all instructions share.
//
// A lane of the result may be at the place of the same lane of a source; otherwise the runs share no bytes.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "isa/core/attributes.h"
#include "isa/semantics/lanes.h"

namespace ptosim::semantics {

using UnaryLoop = void (*)(const std::byte* a, std::byte* out, int64_t count);
using BinaryLoop = void (*)(const std::byte* a, const std::byte* b, std::byte* out, int64_t count);
// With one element, right-aligned, in place of b.
using ElementLoop = void (*)(const std::byte* a, uint64_t element, std::byte* out, int64_t count);
using TernaryLoop = void (*)(const std::byte* a, const std::byte* b, const std::byte* c, std::byte* out,
                             int64_t count);

// The loops of an operation, by element type.
template <typename Loop>
class Loops {
 public:
    constexpr void set(DType type, Loop loop) { loops_[static_cast<size_t>(type)] = loop; }
    Loop operator[](DType type) const {
        const Loop loop = loops_[static_cast<size_t>(type)];
        if (loop == nullptr) fail_type(type);
        return loop;
    }

 private:
    std::array<Loop, static_cast<size_t>(DType::kCount)> loops_{};
};
using UnaryLoops = Loops<UnaryLoop>;
using TernaryLoops = Loops<TernaryLoop>;

class BinaryLoops : public Loops<BinaryLoop> {
 public:
    // Null if the element is to be repeated in lanes.
    ElementLoop with_element(DType type) const { return with_element_[static_cast<size_t>(type)]; }
    constexpr void set_with_element(DType type, ElementLoop loop) { with_element_[static_cast<size_t>(type)] = loop; }

 private:
    std::array<ElementLoop, static_cast<size_t>(DType::kCount)> with_element_{};
};

namespace loops {

// isa/semantics/arithmetic.h describes the functions of lanes.
extern const BinaryLoops kAdd, kSub, kMul, kDiv;
extern const BinaryLoops kWideDiv;     // 64-bit integers: 0 by zero (profile rule wide-division-by-zero)
extern const BinaryLoops kFlushedDiv;  // f32, with subnormals as zeros
// The lesser or the greater lane: the number if the other is NaN, or NaN.
extern const BinaryLoops kMin, kMax, kMinOrNan, kMaxOrNan;
extern const UnaryLoops kNeg, kAbs, kRelu, kSqrt;
extern const UnaryLoops kRecip;                       // floats: 1 / a
extern const UnaryLoops kFlushedSqrt, kFlushedRecip;  // f32
extern const BinaryLoops kAddRelu, kSubRelu;          // floats, i16, i32: max(a + b, +0), max(a - b, +0)

// By the width of elements, for all types.
extern const BinaryLoops kAnd, kOr, kXor;
extern const UnaryLoops kNot;
// Shifts of integers: by the count modulo the width, and by the count.
extern const BinaryLoops kShl, kShr, kShlAll, kShrAll;

// Floats: a above (or from) 0, and a * b elsewhere.
extern const BinaryLoops kLeaky, kLeakyFromZero;
// Floats: a * b + c, rounded once.
extern const TernaryLoops kFma;
// Floats: e^(a - b), rounded once after the difference in f32; after each step; and f32 with subnormals as zeros.
extern const BinaryLoops kExpdif, kExpdifSteps, kFlushedExpdif;

// Remainders with the sign of the dividend and of the divisor, and of 64-bit integers as kWideDiv; powers of elements,
// and of 16-bit floats in f32.
extern const BinaryLoops kFmod, kRem, kWideRem, kPow, kPowInF32;

}  // namespace loops

// out = a lane of a where the byte of `chosen` is not 0, and of b elsewhere; lanes of `width` bytes.
void choose_run(size_t width, const std::byte* chosen, const std::byte* a, const std::byte* b, std::byte* out,
                int64_t count);

// Comparisons: a byte for each lane, 1 if it holds. NaN is unordered: only "not equal" holds. -0 equals +0.
void compare_run(CompareMode mode, DType type, const std::byte* a, const std::byte* b, std::byte* out,
                 int64_t count);

}  // namespace ptosim::semantics
