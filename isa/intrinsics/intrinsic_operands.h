// Shared by rows of transfers and of the cube core: checks of arguments, operands made of bytes.
#pragma once

#include <span>
#include <string>

#include "isa/intrinsics/intrinsic.h"

namespace ptosim::intrinsics {

inline constexpr uint64_t kFractalBytes = 512;
inline constexpr uint64_t kC0Bytes = 32;  // a line of a fractal

// Fills `problem`; false. The message names the argument.
bool refuse_argument(const IntrinsicCall& call, unsigned argument, std::string_view code,
                     const std::string& what, std::string hint, Problem& problem);
struct ArgumentRange {
    unsigned argument;
    uint64_t least, most;
};
bool check_ranges(const IntrinsicCall& call, std::span<const ArgumentRange> ranges, Problem& problem);
bool check_address(const IntrinsicCall& call, unsigned argument, uint64_t multiple, Problem& problem);

// `count` rows of `length` bytes, `pitch` bytes apart.
Tile byte_rows(Space space, uint64_t address, uint64_t count, uint64_t length, uint64_t pitch);
// Elements in global memory, `pitch` elements apart.
GlobalView global_rows(uint64_t address, uint64_t count, uint64_t length, uint64_t pitch, DType type);
// `lines` columns of blocks of 32 bytes in L1 (NZ), each of `rows` blocks, `pitch` blocks apart.
Tile block_columns(uint64_t address, uint64_t element_bytes, uint64_t rows, uint64_t lines, uint64_t pitch);
// Makes `count` views of one, `step` elements apart.
void repeat_view(GlobalView& view, uint64_t count, uint64_t step);

constexpr uint64_t bits_of(uint64_t word, unsigned low, unsigned count) {
    return word >> low & ((uint64_t{1} << count) - 1);
}
constexpr uint64_t whole(uint64_t value, uint64_t multiple) {
    return (value + multiple - 1) / multiple * multiple;
}

// The ATOMIC register: the operation, and the type of elements (include/ptosim/core_registers.def).
AtomicMode atomic_mode(uint64_t bits);
DType atomic_type(uint64_t bits);
// Bytes of elements of a type on those at `to`.
void combine_bytes(AtomicMode mode, DType type, std::byte* to, const std::byte* from, uint64_t length);

// A transfer's last word on the unit flag of the parts of L0C that it touches.
constexpr UnitFlagPhase unit_flag(uint64_t bits) {
    return bits == 3   ? UnitFlagPhase::kFinal
           : bits == 2 ? UnitFlagPhase::kPartial
                       : UnitFlagPhase::kUnspecified;
}

}  // namespace ptosim::intrinsics
