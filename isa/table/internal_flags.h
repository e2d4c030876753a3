// Internals of composite instructions: scratch, other pipes, and flags that they set and wait for. A flag of the
// program that is pending across such an instruction may be taken by it.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "isa/table/instruction_traits.h"

namespace ptosim {

std::span<const InternalFlag> internal_flags(Opcode opcode, Arch arch);

// True if the implementation touches its scratch operand (role kTmp). Many instructions of a5 have the operand only for
// compatibility with a2a3, and use registers instead.
bool touches_scratch(const Instruction& instruction, Arch arch);

// Bytes from the address of its scratch operand on that the implementation uses; nothing: unknown, at most those of the
// operand.
std::optional<uint64_t> used_scratch(const Instruction& instruction, Arch arch);

// A scratch tile that holds less than the implementation keeps there.
struct ScratchShortage {
    unsigned operand = 0;
    uint64_t needed = 0, found = 0;  // bytes
    bool of_rows = false;            // of each row
    uint64_t reach = 0;              // bytes from its address on that are written
};
std::optional<ScratchShortage> scratch_shortage(const Instruction& instruction, Arch arch);

// True if the implementation keeps data at a fixed address of UB because it has no scratch operand; if so, adds that
// area as a scratch operand.
bool add_fixed_scratch(Instruction& instruction, Arch arch);
bool may_have_fixed_scratch(Opcode opcode, Arch arch);
// That scratch operand; null: the instruction has none, or one at another address.
const Tile* fixed_scratch(const Instruction& instruction, Arch arch);

// True if the scalar unit reads the operand (the indices of gathers of rows), before the instruction starts on its own
// pipe: earlier work of that pipe is not ordered before this read.
bool read_by_scalar_unit(const Instruction& instruction, unsigned operand, Arch arch);

// True if the scalar unit writes the operand, a scratch tile, before the instruction starts on its own pipe, which
// waits for it.
bool written_by_scalar_unit(const Instruction& instruction, unsigned operand, Arch arch);

// Pipes that the implementation lets drain before it begins. It is complete before the scalar unit continues, so that
// everything later, on any pipe, is ordered after it. Empty: the program is responsible for all order
// (hw-native-sys/pto-isa include/pto/npu/a2a3/{MGather,MScatter}.hpp).
std::span<const Pipe> awaited_pipes(const Instruction& instruction, Arch arch);

}  // namespace ptosim
