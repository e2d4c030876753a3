// What composite instructions do inside: scratch, other pipes, and flags that they set and wait
// for: a program that has one of them pending across such an instruction loses a token.
#pragma once

#include <cstdint>
#include <span>

#include "isa/instruction_traits.h"

namespace ptosim {

std::span<const InternalFlag> internal_flags(Opcode opcode, Arch arch);

// Whether the implementation touches its scratch operand (role kTmp). That of a5 keeps what it
// needs in registers, and takes the operand of many instructions for the sake of the other
// architecture.
bool touches_scratch(Opcode opcode, Arch arch);

// Whether the scalar unit reads the operand, before the instruction's own pipe begins: that pipe's
// earlier work does not come before it. So are the indices of gathers of rows.
bool read_by_scalar_unit(const Instruction& instruction, unsigned operand, Arch arch);

// Pipes whose work the implementation lets end before it begins. It ends before the scalar unit
// goes on, so that whatever comes later, on any pipe, comes after it. Empty: it leaves all order to
// the program (hw-native-sys/pto-isa include/pto/npu/a2a3/{MGather,MScatter}.hpp).
std::span<const Pipe> awaited_pipes(const Instruction& instruction, Arch arch);

}  // namespace ptosim
