#include "traces/analyse/work_meter.h"

#include <algorithm>
#include <map>

#include "isa/table/instruction_table.h"

namespace ptosim {
namespace {

// Operands a and b of a product: the first tile of L0A and the first of L0B.
const OperandSet::Item* item_in(const OperandSet& operands, Space space) {
    for (const OperandSet::Item& item : operands.items)
        if (item.memory == 1 + static_cast<unsigned>(space)) return &item;
    return nullptr;
}

const Tile* tile_in(const Instruction& instruction, Space space) {
    const unsigned count = std::min<unsigned>(instruction.operand_count, OperandSet::kMost);
    for (unsigned i = 0; i < count; ++i)
        if (instruction.operands[i].is_tile() && instruction.tile(i).space == space)
            return &instruction.tile(i);
    return nullptr;
}

uint64_t extent(int32_t value) { return static_cast<uint64_t>(std::max(0, value)); }

void add_product(Work& work, const Instruction& instruction) {
    const Tile* const a = tile_in(instruction, Space::kL0A);
    const Tile* const b = tile_in(instruction, Space::kL0B);
    if (a != nullptr && b != nullptr)
        work.products[static_cast<size_t>(a->dtype)] +=
            extent(a->valid_rows) * extent(a->valid_cols) * extent(b->valid_cols);
}

void add_tiles(Work& work, const Instruction& instruction, Pipe pipe) {
    uint64_t largest = 0;
    for (unsigned i = 0; i < instruction.operand_count; ++i) {
        if (!instruction.operands[i].is_tile()) continue;
        const Tile& tile = instruction.tile(i);
        const auto space = static_cast<size_t>(tile.space);
        const uint64_t touched = extent(tile.valid_rows) * extent(tile.valid_cols) * bits(tile.dtype) / 8;
        work.moved_bytes[space] += touched;
        work.used_bytes[space] = std::max(work.used_bytes[space], tile.address + tile.byte_size());
        if (tile.space == Space::kUB) largest = std::max(largest, touched);
    }
    if (pipe == Pipe::kV) work.vector_bytes += largest;
}

}  // namespace

void add_work(Work& work, Opcode opcode, const OperandSet& operands, uint64_t times) {
    const TimingClass timing = info(opcode).timing;
    if (timing == TimingClass::kCube) {
        const OperandSet::Item* a = item_in(operands, Space::kL0A);
        const OperandSet::Item* b = item_in(operands, Space::kL0B);
        if (a != nullptr && b != nullptr)
            work.products[a->dtype] += times * a->rows * a->cols * b->cols;
    }
    if (timing != TimingClass::kLoad && timing != TimingClass::kStore) return;
    for (const OperandSet::Item& item : operands.items) {
        if (item.memory != OperandSet::kGlobalMemory) continue;
        const uint64_t moved =
            times * (uint64_t{item.rows} * item.cols * bits(static_cast<DType>(item.dtype)) / 8);
        if ((item.roles & OperandSet::kWritten) != 0)
            work.written_bytes += moved;
        else
            work.read_bytes += moved;
    }
}

Work work_of(const Recording& recording) {
    Work work;
    std::map<std::pair<uint32_t, Opcode>, uint64_t> times;
    for (const InstructionRecord& record : recording.instructions)
        if (record.has(InstructionRecord::kCompleted) && !record.has(InstructionRecord::kSync)) {
            ++times[{record.operands, record.opcode}];
            if (info(record.opcode).timing == TimingClass::kLoad)
                work.hbm_bytes += record.l2_miss_bytes;
        }
    for (const auto& [what, count] : times)
        add_work(work, what.second, recording.operands[what.first], count);
    return work;
}

namespace {

// Like add_work() of describe_operands(), without making a set.
void add_event(Work& work, const InstructionEvent& event) {
    const Instruction& instruction = *event.instruction;
    add_tiles(work, instruction, event.pipe);
    switch (info(instruction.opcode).timing) {
        case TimingClass::kCube:
            add_product(work, instruction);
            break;
        case TimingClass::kLoad:
        case TimingClass::kStore:
            add_work(work, instruction.opcode, describe_shapes(instruction));
            break;
        default:
            break;
    }
}

void add_times(Work& sum, const Work& work, uint64_t times) {
    for (size_t i = 0; i < sum.products.size(); ++i) sum.products[i] += times * work.products[i];
    for (size_t i = 0; i < sum.moved_bytes.size(); ++i) {
        sum.moved_bytes[i] += times * work.moved_bytes[i];
        sum.used_bytes[i] = std::max(sum.used_bytes[i], work.used_bytes[i]);
    }
    sum.read_bytes += times * work.read_bytes;
    sum.written_bytes += times * work.written_bytes;
    sum.vector_bytes += times * work.vector_bytes;
    sum.hbm_bytes += times * work.hbm_bytes;
}

}  // namespace

void WorkMeter::OfCore::complete(const InstructionEvent& event) {
    const auto loads = [&] { return info(event.instruction->opcode).timing == TimingClass::kLoad; };
    const uint64_t id = event.validation_id;
    if (id == 0) {
        add_event(work, event);
        if (loads()) work.hbm_bytes += event.l2_miss_bytes;
        return;
    }
    Same& same = latest.in_place_of(id);
    if (same.id != id) {
        if (same.count > 0) add_times(work, same.of_one, same.count);
        same = {id, 0, loads(), {}};
        add_event(same.of_one, event);
    }
    ++same.count;
    if (same.loads) work.hbm_bytes += event.l2_miss_bytes;
}

Work WorkMeter::work() const {
    Work sum;
    cores_.for_each([&](const OfCore& core) {
        add_times(sum, core.work, 1);
        for (const Same& same : core.latest)
            if (same.count > 0) add_times(sum, same.of_one, same.count);
    });
    return sum;
}

}  // namespace ptosim
