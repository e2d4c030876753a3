#include "sim/timing/vector_cost.h"

#include "sim/model/vector_variant.h"
#include "sim/timing/arithmetic.h"
#include "sim/timing/bank_conflicts.h"

namespace ptosim {
namespace {

constexpr uint64_t kRepeatBytes = 256;  // what the vector unit takes at once

// One pass over a tile: so many lines of so many bytes.
struct Lines {
    uint64_t count = 0;
    uint64_t bytes = 0;
    bool dense = false;  // they run together
};

Lines lines_of(const Tile& tile) {
    const bool by_column = tile.outer == OuterLayout::kColMajor && !tile.boxed();
    const auto lines = static_cast<uint64_t>(by_column ? tile.valid_cols : tile.valid_rows);
    const auto length = static_cast<uint64_t>(by_column ? tile.valid_rows : tile.valid_cols);
    const bool dense = tile.boxed() || lines == 1 || length == static_cast<uint64_t>(tile.pitch);
    return {lines, bytes(tile.dtype, length), dense};
}

// The tile that sets the pace: the widest element type among destination and sources.
const Tile& widest_tile(const Instruction& instruction) {
    const Tile* widest = &instruction.operands[0].tile;
    const InstructionInfo& row = info(instruction.opcode);
    for (unsigned i = 1; i < instruction.operand_count && i < row.operands.size(); ++i)
        if (instruction.operands[i].is_tile() && row.operands[i].role != OperandRole::kTmp &&
            bits(instruction.tile(i).dtype) > bits(widest->dtype))
            widest = &instruction.tile(i);
    return *widest;
}

unsigned source_tiles(const Instruction& instruction) {
    const InstructionInfo& row = info(instruction.opcode);
    unsigned count = 0;
    for (unsigned i = 1; i < instruction.operand_count && i < row.operands.size(); ++i)
        count += instruction.operands[i].is_tile() && row.operands[i].role != OperandRole::kTmp;
    return count;
}

// ---- a2a3: repeats --------------------------------------------------------------------------

// Repeats of one pass in thousandths. Rows that run together fill repeats; an instruction of two
// sources takes short rows one by one.
Milli repeats(const Lines& lines, bool row_by_row) {
    if (row_by_row) return lines.count * 1000;
    if (lines.dense) return std::max<Milli>(1000, lines.count * lines.bytes * 1000 / kRepeatBytes);
    return lines.count * ceil_div(lines.bytes, kRepeatBytes) * 1000;
}

Cost elementwise(const ChipModel& chip, const Instruction& instruction) {
    const Tile& tile = widest_tile(instruction);
    const ChipModel::VectorRate& rate = chip.vector_rate[static_cast<size_t>(instruction.opcode)];
    const Lines lines = lines_of(tile);
    const bool short_rows = lines.bytes < kRepeatBytes && lines.count > 1;
    const bool row_by_row = short_rows && (source_tiles(instruction) > 1 || !lines.dense);
    Milli per_repeat = bits(tile.dtype) >= 32 ? rate.b32 : rate.b16;
    if (tile.space == Space::kUB) {
        const BankConflicts conflicts = bank_conflicts(
            instruction,
            std::min(lines.bytes * lines.count, row_by_row ? lines.bytes : kRepeatBytes));
        // A slow function hides what a repeat waits for its operands.
        Milli wait = 1000;
        if (conflicts.reads) wait += chip.vector_read_conflict;
        if (conflicts.writes) wait += chip.vector_write_conflict;
        per_repeat = std::max(per_repeat, wait);
    }
    Milli busy = repeats(lines, row_by_row) * per_repeat / 1000;
    if (lines.bytes % kRepeatBytes != 0 && (row_by_row || lines.bytes > kRepeatBytes))
        busy += chip.vector_partial;
    return make_cost(busy, chip.vector_overhead,
                     rate.start != 0 ? rate.start : chip.vector_latency);
}

// ---- a5: vector functions -------------------------------------------------------------------

const VectorCurve& curve_of(const ChipModel& chip, const Instruction& instruction) {
    const auto& curves = chip.vector_curve[static_cast<size_t>(instruction.opcode)];
    const VectorCurve& own = curves[static_cast<size_t>(vector_variant(instruction))];
    if (own.pass != 0) return own;
    return source_tiles(instruction) > 1 ? chip.vector_binary : chip.vector_unary;
}

Cost function(const ChipModel& chip, const Instruction& instruction) {
    const VectorCurve& curve = curve_of(chip, instruction);
    Lines lines = lines_of(widest_tile(instruction));
    if (lines.dense) lines = {1, lines.bytes * lines.count, true};
    const uint64_t passes = ceil_div(lines.bytes, kRepeatBytes);
    const Milli row =
        passes <= curve.short_row ? curve.gap : std::max(curve.gap, passes * curve.nested);
    // A function whose passes the chip file does not list may still have a rate of its own.
    const ChipModel::VectorRate& rate = chip.vector_rate[static_cast<size_t>(instruction.opcode)];
    const Milli own = bits(instruction.operands[0].tile.dtype) >= 32 ? rate.b32 : rate.b16;
    const Milli pass = own > 1000 ? std::max(own, curve.pass) : curve.pass;
    const Milli busy =
        passes * pass + (lines.count - 1) * std::max(row, own > 1000 ? passes * own : 0);
    return make_cost(busy, chip.vector_overhead, curve.start);
}

// ---- both: what is made of several steps -----------------------------------------------------

uint64_t repeats_of_row(const Tile& tile) {
    return std::max<uint64_t>(
        1, ceil_div(bytes(tile.dtype, static_cast<size_t>(tile.valid_cols)), kRepeatBytes));
}

// A reduction folds the repeats of a row into one, a dependent instruction each, and then reduces
// it; a broadcast writes each row by an instruction of its own.
Cost along_rows(const ChipModel& chip, const Instruction& instruction) {
    const ChipModel::VectorRate& rate = chip.vector_rate[static_cast<size_t>(instruction.opcode)];
    const Milli start = rate.start != 0 ? rate.start : chip.vector_latency;
    const Tile& dst = instruction.operands[0].tile;
    const bool reduces =
        dst.valid_cols == 1 || instruction.operand_count < 2 || !instruction.operands[1].is_tile();
    const Tile& wide = reduces && instruction.operand_count > 1 ? instruction.tile(1) : dst;
    const uint64_t per_row = repeats_of_row(wide);
    const auto rows = static_cast<uint64_t>(wide.valid_rows);
    if (reduces) {
        const Milli folds = (per_row - 1) * (rows * chip.vector_row_fold + chip.vector_dependent);
        return make_cost(rows * chip.vector_row + folds, chip.vector_overhead, start);
    }
    return make_cost(rows * (chip.vector_row_expand + (per_row - 1) * 1000), chip.vector_overhead,
                     start);
}

// One instruction of two sources per row, each waiting for the one before.
Cost along_columns(const ChipModel& chip, const Instruction& instruction) {
    const ChipModel::VectorRate& rate = chip.vector_rate[static_cast<size_t>(instruction.opcode)];
    const Milli start = rate.start != 0 ? rate.start : chip.vector_latency;
    const Tile& dst = instruction.operands[0].tile;
    const Tile& src = instruction.operand_count > 1 && instruction.operands[1].is_tile()
                          ? instruction.tile(1)
                          : dst;
    const Tile& wide = src.valid_rows >= dst.valid_rows ? src : dst;
    const uint64_t per_row = repeats_of_row(wide);
    const bool reduces = dst.valid_rows == 1 && src.valid_rows > 1;
    const Milli pass = 1000 + chip.vector_read_conflict;
    const Milli row = reduces ? chip.vector_dependent + (per_row - 1) * pass : per_row * 1000;
    return make_cost(static_cast<uint64_t>(wide.valid_rows) * row, chip.vector_overhead, start);
}

Cost by_element(const ChipModel& chip, const Instruction& instruction) {
    const Tile& tile = instruction.operands[0].tile;
    const auto elements =
        static_cast<uint64_t>(tile.valid_rows) * static_cast<uint64_t>(tile.valid_cols);
    return make_cost(ceil_div(elements, 16) * chip.vector_gather, chip.vector_overhead,
                     chip.vector_latency);
}

}  // namespace

Cost vector_cost(const ChipModel& chip, const Instruction& instruction) {
    switch (info(instruction.opcode).timing) {
        case TimingClass::kVectorRow:
            return along_rows(chip, instruction);
        case TimingClass::kVectorCol:
            return along_columns(chip, instruction);
        case TimingClass::kVectorSort:
        case TimingClass::kVectorGather:
            return by_element(chip, instruction);
        default:
            break;
    }
    return chip.arch == Arch::kA5 ? function(chip, instruction) : elementwise(chip, instruction);
}

}  // namespace ptosim
