#include "traces/record/operand_set.h"

#include <algorithm>

#include "isa/core/view_rows.h"
#include "sim/machine/observe/bank_conflicts.h"

namespace ptosim {

namespace {

uint32_t extent(int64_t value) {
    return static_cast<uint32_t>(std::clamp<int64_t>(value, 0, UINT32_MAX));
}

uint8_t banks(const Instruction& instruction) {
    const bool vector = info(instruction.opcode).timing == TimingClass::kVector &&
                        instruction.operand_count > 0 && instruction.operands[0].is_tile();
    if (!vector || instruction.tile(0).space != Space::kUB) return 0;
    const BankConflicts conflicts =
        bank_conflicts(instruction, static_cast<uint64_t>(instruction.tile(0).touched_bytes()));
    return static_cast<uint8_t>((conflicts.reads ? OperandSet::kReadsMeet : 0) |
                                (conflicts.writes ? OperandSet::kWriteMeets : 0));
}

}  // namespace

OperandSet describe_operands(const Instruction& instruction) {
    OperandSet set = describe_shapes(instruction);
    if (is_sync(instruction.opcode)) return set;
    unsigned n = 0;
    for (unsigned i = 0; i < instruction.operand_count && n < OperandSet::kMost; ++i) {
        const Operand& operand = instruction.operands[i];
        if (operand.is_tile())
            set.items[n].bytes = extent(static_cast<int64_t>(operand.tile.touched_bytes()));
        if (operand.is_global())
            set.items[n].bytes = extent(static_cast<int64_t>(bits(operand.global.dtype)) *
                                        std::max<int64_t>(0, rows_of(operand.global).length) / 8);
        if (operand.is_tile() || operand.is_global()) ++n;
    }
    set.items[0].banks = banks(instruction);
    return set;
}

OperandSet describe_shapes(const Instruction& instruction) {
    OperandSet set;
    if (is_sync(instruction.opcode)) {
        set.items[0].memory = static_cast<uint8_t>(instruction.attributes.source_pipe);
        set.items[1].memory = static_cast<uint8_t>(instruction.attributes.destination_pipe);
        set.items[0].dtype = instruction.attributes.event_id;
        return set;
    }
    const auto& roles = info(instruction.opcode).operands;
    unsigned n = 0;
    for (unsigned i = 0; i < instruction.operand_count && n < OperandSet::kMost; ++i) {
        const Operand& operand = instruction.operands[i];
        OperandSet::Item& item = set.items[n];
        if (operand.is_tile()) {
            item.memory = static_cast<uint8_t>(1 + static_cast<unsigned>(operand.tile.space));
            item.dtype = static_cast<uint8_t>(operand.tile.dtype);
            item.rows = extent(operand.tile.valid_rows);
            item.cols = extent(operand.tile.valid_cols);
            item.address = operand.tile.address;
        } else if (operand.is_global()) {
            item.memory = OperandSet::kGlobalMemory;
            item.dtype = static_cast<uint8_t>(operand.global.dtype);
            item.rows = extent(operand.global.matrix_rows());
            item.cols = extent(operand.global.matrix_cols());
        } else {
            continue;
        }
        const OperandRole role = i < roles.size() ? roles[i].role : OperandRole::kIn;
        item.roles = role == OperandRole::kIn    ? OperandSet::kRead
                     : role == OperandRole::kOut ? OperandSet::kWritten
                                                 : OperandSet::kRead | OperandSet::kWritten;
        ++n;
    }
    return set;
}

}  // namespace ptosim
