#include "traces/work_meter.h"

#include "isa/instruction_table.h"

namespace ptosim {
namespace {

// Operands a and b of a product: the first tile of L0A and the first of L0B.
const Tile* operand_in(const Instruction& instruction, Space space) {
    for (unsigned i = 0; i < instruction.operand_count; ++i)
        if (instruction.operands[i].is_tile() && instruction.operands[i].tile.space == space)
            return &instruction.operands[i].tile;
    return nullptr;
}

}  // namespace

void WorkMeter::on_complete(const InstructionEvent& event) {
    const Instruction& instruction = *event.instruction;
    const InstructionInfo& row = info(instruction.opcode);
    if (row.timing == TimingClass::kCube) {
        const Tile* a = operand_in(instruction, Space::kL0A);
        const Tile* b = operand_in(instruction, Space::kL0B);
        if (a != nullptr && b != nullptr)
            work_.products[static_cast<size_t>(a->dtype)] += static_cast<uint64_t>(a->valid_rows) *
                                                             static_cast<uint64_t>(a->valid_cols) *
                                                             static_cast<uint64_t>(b->valid_cols);
        return;
    }
    if (row.timing != TimingClass::kLoad && row.timing != TimingClass::kStore) return;
    for (const Access& access : accesses(instruction)) {
        if (!access.global || access.view == nullptr) continue;
        const uint64_t bytes =
            static_cast<uint64_t>(access.view->elements()) * bits(access.view->dtype) / 8;
        if (access.writes)
            work_.written_bytes += bytes;
        else
            work_.read_bytes += bytes;
    }
}

}  // namespace ptosim
