// Conflicts between the operands of a vector instruction in the banks of UB (a2a3).
//
// UB has 16 bank groups. A row of 32 bytes belongs to group address / 32 mod 16, and a bank is 64 KiB. A group gives
// one row per cycle, so two sources of a repeat in the same group take an additional cycle. A repeat that reads the
// bank which an earlier one writes waits if the two are out of step; in step the hardware delays the write (asc-devkit,
// best practices, bank_conflict_ub).
#pragma once

#include "isa/core/instruction.h"

namespace ptosim {

inline constexpr uint32_t kBankGroups = 16;

struct BankConflicts {
    bool reads = false;   // two sources share bank groups
    bool writes = false;  // the destination shares a bank with a source, out of step
};

// `row_bytes`: bytes that a repeat reads of each operand, at most 256.
BankConflicts bank_conflicts(const Instruction& instruction, uint64_t row_bytes);
// True if repeats of this number of blocks, written from one address on, conflict with those read from another.
bool out_of_step(uint32_t to, uint32_t from, uint32_t blocks);

}  // namespace ptosim
