#include "sim/machine/observe/bank_conflicts.h"

#include <algorithm>
#include <array>

#include "isa/table/instruction_table.h"

namespace ptosim {
namespace {

constexpr uint32_t kRow = 32;
constexpr uint32_t kBank = 64 * 1024;

// Distance of the groups of two addresses, around the circle.
uint32_t distance(uint32_t a, uint32_t b) {
    const uint32_t apart = (a / kRow - b / kRow) % kBankGroups;
    return std::min(apart, kBankGroups - apart);
}

}  // namespace

bool out_of_step(uint32_t to, uint32_t from, uint32_t blocks) {
    const uint32_t apart = distance(to, from);
    return to / kBank == from / kBank && apart != 0 && apart < blocks;
}

BankConflicts bank_conflicts(const Instruction& instruction, uint64_t row_bytes) {
    const InstructionInfo& row = info(instruction.opcode);
    const auto blocks =
        static_cast<uint32_t>(std::clamp<uint64_t>((row_bytes + kRow - 1) / kRow, 1, 8));
    std::array<uint32_t, 2> sources{};
    unsigned count = 0;
    for (unsigned i = 1; i < instruction.operand_count && i < row.operands.size() && count < 2; ++i)
        if (instruction.operands[i].is_tile() && row.operands[i].role == OperandRole::kIn)
            sources[count++] = instruction.tile(i).address;

    BankConflicts found;
    found.reads =
        count == 2 && sources[0] != sources[1] && distance(sources[0], sources[1]) < blocks;
    const uint32_t to = instruction.operands[0].tile.address;
    for (unsigned i = 0; i < count; ++i)
        found.writes = found.writes || out_of_step(to, sources[i], blocks);
    return found;
}

}  // namespace ptosim
