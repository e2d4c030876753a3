// Walks over tiles: the lanes of the operands, a run at a time. A walk is compiled once, for all types and operations.
//
// The tiles have the valid region of the destination (legality rule same_valid) and elements of its width.
#pragma once

#include <initializer_list>

#include "isa/core/function_ref.h"
#include "isa/semantics/loops.h"

namespace ptosim::semantics {

// Bytes of the largest element.
inline constexpr int kMostBytes = 8;

// Lanes of a run: its result and up to three sources. Each source overlaps the result exactly or not at all.
struct Run {
    std::byte* out;
    std::array<const std::byte*, 3> in;
    int64_t count;
};

// Calls run() for runs that cover the operands: the destination, then sources. Lanes that cannot be worked on in place
// are copied through arrays, kChunk at a time.
void walk(const Execution& e, std::initializer_list<unsigned> operands, FunctionRef<void(const Run&)> run);

// `count` lanes of `width` bytes of a row, from column `col` on.
void read_line(const Tile& tile, const std::byte* base, int row, int col, int count, size_t width, std::byte* lanes);
void write_line(const Tile& tile, std::byte* base, int row, int col, int count, size_t width, const std::byte* lanes);
// A lane again and again.
void repeat_lane(const std::byte* lane, size_t width, int count, std::byte* lanes);

// True if each lane of `source` is at the place of the same lane of `target`, or none of them shares bytes with it.
bool independent(const Execution& e, unsigned target, unsigned source);

// The element of a scalar operand, as scalar_as() converts it.
uint64_t scalar_bits(const Scalar& scalar, DType to);

// dst = loop(src), dst = loop(src0, src1), dst = loop(a, b, c); operands by number.
void unary(const Execution& e, UnaryLoop loop, unsigned src = 1);
void binary(const Execution& e, BinaryLoop loop, unsigned src0 = 1, unsigned src1 = 2);
void ternary(const Execution& e, TernaryLoop loop, unsigned a, unsigned b, unsigned c);

// The loops for the type of dst. The three shapes of a row: (dst, src), (dst, src0, src1) and (dst, src, scalar).
void unary(const Execution& e, const UnaryLoops& loops);
void binary(const Execution& e, const BinaryLoops& loops);
void binary_scalar(const Execution& e, const BinaryLoops& loops);
// dst = loop(src, an element), with operand 1, and loop(element, src).
void with_element(const Execution& e, const BinaryLoops& loops, uint64_t element);
void from_element(const Execution& e, const BinaryLoops& loops, uint64_t element, unsigned src);

// The loops of a profile.
inline const BinaryLoops& greatest(Numerics numerics) {
    return numerics == Numerics::kIEEE ? loops::kMax : loops::kMaxOrNan;
}
inline const BinaryLoops& least(Numerics numerics) {
    return numerics == Numerics::kIEEE ? loops::kMin : loops::kMinOrNan;
}
const BinaryLoops& flushing_quotients(const Execution& e);
const BinaryLoops& quotients(const Execution& e);  // with wide-division-by-zero
const BinaryLoops& left_shifts(const Execution& e);
const BinaryLoops& right_shifts(const Execution& e);

}  // namespace ptosim::semantics
