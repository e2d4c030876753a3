#include "sim/machine/timing/vector_cost.h"

#include <array>

#include "isa/core/arch.h"
#include "isa/table/folded_rows.h"
#include "isa/table/instruction_traits.h"
#include "sim/machine/model/vector_variant.h"
#include "sim/machine/observe/bank_conflicts.h"
#include "sim/machine/timing/arithmetic.h"

namespace ptosim {
namespace {

constexpr uint64_t kRowsPerSpread = 8;  // rows whose elements one repeat spreads into blocks

// The pipe is held at most until the result is written.
Cost vector_step(const ChipModel& chip, Milli busy, Milli start) {
    return make_cost(busy, std::min<Milli>(chip.aiv.vector.overhead, start), start);
}

// One pass over a tile: `count` lines of `bytes` bytes.
struct Lines {
    uint64_t count = 0;
    uint64_t bytes = 0;
    bool dense = false;  // contiguous lines
};

Lines lines_of(const Tile& tile) {
    const bool by_column = tile.outer == OuterLayout::kColMajor && !tile.boxed();
    const auto lines = static_cast<uint64_t>(by_column ? tile.valid_cols : tile.valid_rows);
    const auto length = static_cast<uint64_t>(by_column ? tile.valid_rows : tile.valid_cols);
    const bool dense = tile.boxed() || lines == 1 || length == static_cast<uint64_t>(tile.pitch);
    return {lines, bytes(tile.dtype, length), dense};
}

// The tile that determines the time: the widest element type among destination and sources.
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

uint64_t tile_elements(const Tile& tile) {
    return static_cast<uint64_t>(tile.valid_rows) * static_cast<uint64_t>(tile.valid_cols);
}

Cost copies_in_ub(const ChipModel& chip, uint64_t copies, uint64_t bytes_each) {
    const VectorParameters& vector = chip.aiv.vector;
    const uint64_t blocks = copies * ceil_div(bytes_each, kTileAlignment);
    return make_cost((copies - 1) * vector.intrinsic.copy + blocks * vector.intrinsic.copy_block,
                     vector.intrinsic.copy, vector.latency);
}

// Copies all of a tile at once, or line by line.
Cost copy_in_ub(const ChipModel& chip, const Instruction& instruction) {
    const Lines to = lines_of(instruction.tile(0)), from = lines_of(instruction.tile(1));
    if (to.dense && from.dense) return copies_in_ub(chip, 1, to.count * to.bytes);
    return copies_in_ub(chip, to.count, to.bytes);
}

// Repeats of one pass in thousandths. Contiguous rows fill repeats; an instruction with two sources processes short
// rows one by one.
Milli repeats(const Lines& lines, bool row_by_row) {
    if (row_by_row) return lines.count * 1000;
    if (lines.dense) return std::max<Milli>(1000, lines.count * lines.bytes * 1000 / kRepeatBytes);
    return lines.count * ceil_div(lines.bytes, kRepeatBytes) * 1000;
}

// Cycles of a repeat. In a slow function the waits for operands are hidden.
Milli repeat_cycles(const ChipModel& chip, const VectorRate& rate,
                    const Instruction& instruction, const Tile& tile, uint64_t row_bytes) {
    const Milli own = bits(tile.dtype) >= 32 ? rate.b32 : rate.b16;
    if (tile.space != Space::kUB) return own;
    const BankConflicts conflicts = bank_conflicts(instruction, row_bytes);
    Milli wait = 0;
    if (conflicts.reads) wait += rate.conflict;
    if (conflicts.writes) wait += chip.aiv.vector.write_conflict;
    return wait == 0 ? own : std::max(own, 1000 + wait);
}

// Time of the instructions after the first, with barriers between them: each waits until the result of the previous one
// is written.
Milli further_steps(const ChipModel& chip, const VectorRate& rate, const Lines& lines) {
    if (rate.each_row != 0) {
        const uint64_t whole_and_rest =
            lines.bytes / kRepeatBytes != 0 && lines.bytes % kRepeatBytes != 0 ? 2 : 1;
        return (rate.steps + (lines.count * whole_and_rest - 1) * rate.each_row - 1) *
               chip.aiv.vector.latency;
    }
    if (rate.by_row == 0) return (rate.steps - 1) * rate.start;
    return (lines.count * rate.steps - 1) * chip.aiv.vector.latency;
}

Cost elementwise(const ChipModel& chip, const Instruction& instruction) {
    const Tile& tile = widest_tile(instruction);
    const VectorRate& rate = chip.aiv.vector.rate[static_cast<size_t>(instruction.opcode)];
    const Lines lines = lines_of(tile);
    const bool integer = is_integer(tile.dtype);
    if (integer && rate.integer_by_row != 0) {
        const Milli repeats = lines.count * ceil_div(lines.bytes, kRepeatBytes);
        return vector_step(chip, repeats * (bits(tile.dtype) >= 32 ? rate.b32 : rate.b16),
                           rate.integer_start);
    }
    if (rate.element != 0)
        return vector_step(chip, tile_elements(tile) * rate.element, rate.start);
    if (rate.row != 0)  // separate instructions for each row
        return vector_step(
            chip,
            lines.count * (rate.row + ceil_div(lines.bytes, kRepeatBytes) *
                                          (bits(tile.dtype) >= 32 ? rate.b32 : rate.b16)),
            rate.start);
    const bool short_rows = lines.bytes < kRepeatBytes && lines.count > 1;
    const bool row_by_row = short_rows && (source_tiles(instruction) > 1 || !lines.dense);
    const Milli per_repeat =
        repeat_cycles(chip, rate, instruction, tile,
                      std::min(lines.bytes * lines.count, row_by_row ? lines.bytes : kRepeatBytes));
    Milli busy = repeats(lines, row_by_row) * per_repeat / 1000;
    if (rate.steps > 1) busy += further_steps(chip, rate, lines);
    if (lines.bytes % kRepeatBytes != 0 && (row_by_row || lines.bytes > kRepeatBytes))
        busy += chip.aiv.vector.partial;
    return vector_step(chip, busy, integer ? rate.integer_start : rate.start);
}

// ---- a5: vector functions -------------------------------------------------------------------

const VectorCurve& curve_of(const ChipModel& chip, const Instruction& instruction) {
    const auto& curves = chip.aiv.vector.curve.of[static_cast<size_t>(instruction.opcode)];
    const VectorCurve& own = curves[static_cast<size_t>(vector_variant(instruction))];
    if (own.pass != 0) return own;
    const VectorParameters::Curves& common = chip.aiv.vector.curve;
    return source_tiles(instruction) > 1 ? common.binary : common.unary;
}

Passes passes_over(const Tile& tile) {
    const Lines lines = lines_of(tile);
    if (lines.dense) return {1, ceil_div(lines.bytes * lines.count, kRepeatBytes)};
    // Rows of one pass each form one loop, too.
    if (lines.bytes <= kRepeatBytes) return {1, lines.count};
    return {lines.count, ceil_div(lines.bytes, kRepeatBytes)};
}

// Cycles of a loop of lines around a loop of passes, each of which takes at least `least`.
Milli loops(const VectorCurve& curve, Passes loop, Milli least) {
    const auto [lines, passes] = loop;
    const auto at_least = [least](Milli stated) {
        return least > 1000 ? std::max(least, stated) : stated;
    };
    const Milli pass = at_least(curve.pass);
    if (lines == 1) return passes * pass;
    const Milli nested = passes * at_least(curve.nested);
    if (curve.short_row != 0 && passes > curve.short_row) return lines * nested;
    const Milli row = passes <= curve.short_row
                          ? Milli{curve.gap}
                          : std::max(curve.gap + passes * at_least(1000), nested);
    return passes * pass + (lines - 1) * row;
}

// Time for which the instructions of a pass hold the issue ports.
Milli issue_of_pass(const ChipModel& chip, const Instruction& instruction) {
    const VectorRate& rate = chip.aiv.vector.rate[static_cast<size_t>(instruction.opcode)];
    const Milli issued = bits(instruction.operands[0].tile.dtype) >= 32 ? rate.b32 : rate.b16;
    return issued * 1000 / chip.aiv.vector.ports;
}

// If the chip file does not list the passes of a function, it may still have a rate for the function.
Cost function(const ChipModel& chip, const Instruction& instruction) {
    const VectorCurve& curve = curve_of(chip, instruction);
    const Tile& tile = widest_tile(instruction);
    const Milli rows =
        lines_of(tile).count * chip.aiv.vector.rate[static_cast<size_t>(instruction.opcode)].row;
    return vector_step(chip,
                       loops(curve, passes_over(tile), issue_of_pass(chip, instruction)) + rows,
                       curve.start);
}

// ---- both: what is made of several steps -----------------------------------------------------

uint64_t repeats_of_row(const Tile& tile) {
    return std::max<uint64_t>(
        1, ceil_div(bytes(tile.dtype, static_cast<size_t>(tile.valid_cols)), kRepeatBytes));
}

bool by_functions(const ChipModel& chip) {
    return traits_of(chip.arch).vector_timing == VectorTiming::kFunctions;
}

const FoldedRows* folded(const ChipModel& chip, const Instruction& instruction, const Tile& wide) {
    if (!traits(instruction.opcode).folds_rows || !traits_of(chip.arch).folds_rows_by_blocks ||
        wide.dtype != DType::kF32 || wide.valid_rows != wide.rows || wide.valid_cols != wide.cols ||
        instruction.operands[0].tile.outer != OuterLayout::kColMajor)
        return nullptr;
    for (const FoldedRows& shape : kFoldedRows)
        if (shape.rows == wide.rows && shape.cols == wide.cols) return &shape;
    return nullptr;
}

// The steps wait for each other. A repeat takes 64 elements of a step's input, or makes as many.
Cost folding(const ChipModel& chip, const FoldedRows& shape) {
    constexpr uint64_t kRepeat = kRepeatBytes / sizeof(float);
    uint64_t elements = static_cast<uint64_t>(shape.rows) * static_cast<uint64_t>(shape.cols);
    Milli busy = 0, start = 0;
    for (const char step : shape.steps) {
        if (step == 'h') elements /= 2;
        busy += start + elements / kRepeat * 1000;
        if (step == 'g') elements /= 8;
        start = chip.aiv.vector.overhead;
    }
    return vector_step(chip, busy, start);
}

Passes rows_and_repeats(const Tile& tile) {
    return {static_cast<uint64_t>(tile.valid_rows), repeats_of_row(tile)};
}

// a5: each pass waits for the sum of the preceding passes of its line and is added to it.
Cost reduction_loops(const ChipModel& chip, const VectorRate& rate, Passes loop) {
    const VectorCurve& curve = chip.aiv.vector.curve.unary;
    const Milli busy = loops(curve, loop, rate.dependent) + loop.lines * rate.row;
    return vector_step(chip, busy, rate.start);
}

// Folds the repeats of a row into one, by one dependent instruction each, and then reduces it.
Cost reduction(const ChipModel& chip, const Instruction& instruction, const Tile& wide) {
    const VectorRate& rate = chip.aiv.vector.rate[static_cast<size_t>(instruction.opcode)];
    if (const FoldedRows* shape = folded(chip, instruction, wide)) return folding(chip, *shape);
    if (by_functions(chip)) return reduction_loops(chip, rate, rows_and_repeats(wide));
    const uint64_t row_bytes = bytes(wide.dtype, static_cast<size_t>(wide.valid_cols));
    const uint64_t per_row = repeats_of_row(wide);
    const auto rows = static_cast<uint64_t>(wide.valid_rows);
    // Row by row, and in a row block by block, each waiting for the previous one.
    const Milli row = is_integer(wide.dtype) && rate.integer_row != 0 ? rate.integer_row : rate.row;
    if (row != 0)
        return vector_step(chip,
                           rows * (row + ceil_div(row_bytes, kTileAlignment) * rate.dependent),
                           rate.start);
    Milli busy = rows * chip.aiv.vector.row_reduce;
    if (per_row > 1) busy += (per_row - 1) * (rows * chip.aiv.vector.row_fold + rate.dependent);
    if (row_bytes % kRepeatBytes != 0) busy += chip.aiv.vector.partial;
    return vector_step(chip, busy, rate.start);
}

// a5: a loop inside another one, without waits.
Cost expansion(const ChipModel& chip, const Instruction& instruction, const VectorCurve& curve,
               Passes loop) {
    return vector_step(chip, loops(curve, loop, issue_of_pass(chip, instruction)), curve.start);
}

// Spreads eight elements of the column per repeat, and then processes the rows: a repeat of all rows at a time, or all
// repeats of a row, whichever takes fewer instructions. On a5 a row's element is spread as it is loaded: a loop of
// rows, or one loop if a dense row is shorter than a pass.
Cost operation_with_column(const ChipModel& chip, const Instruction& instruction,
                           const Tile& wide) {
    const VectorRate& rate = chip.aiv.vector.rate[static_cast<size_t>(instruction.opcode)];
    const auto [rows, per_row] = rows_and_repeats(wide);
    if (by_functions(chip)) {
        const Lines lines = lines_of(wide);
        const bool one_loop = lines.dense && lines.bytes < kRepeatBytes;
        const Passes loop = one_loop ? Passes{1, rows} : Passes{rows, per_row};
        return expansion(chip, instruction, curve_of(chip, instruction), loop);
    }
    const Milli own = bits(wide.dtype) >= 32 ? rate.b32 : rate.b16;
    const Milli spread = ceil_div(rows, kRowsPerSpread) * 1000 + chip.aiv.vector.overhead;
    return vector_step(chip, spread + rows * per_row * own, rate.start);
}

// A broadcast writes each row by a separate instruction.
Cost along_rows(const ChipModel& chip, const Instruction& instruction) {
    const VectorRate& rate = chip.aiv.vector.rate[static_cast<size_t>(instruction.opcode)];
    const Tile& dst = instruction.operands[0].tile;
    const bool reduces = source_tiles(instruction) < 2 &&
                         (dst.valid_cols == 1 || instruction.operand_count < 2 ||
                          !instruction.operands[1].is_tile());
    if (reduces)
        return reduction(chip, instruction,
                         instruction.operand_count > 1 ? instruction.tile(1) : dst);
    if (source_tiles(instruction) > 1) return operation_with_column(chip, instruction, dst);
    const auto [rows, per_row] = rows_and_repeats(dst);
    const VectorParameters& vector = chip.aiv.vector;
    if (by_functions(chip))
        return expansion(chip, instruction, vector.curve.unary, {rows, per_row});
    return vector_step(chip, rows * (vector.row_expand + (per_row - 1) * 1000), rate.start);
}

// Rows added in pairs, level by level: only the first sum of a level waits for the previous one.
Cost by_pairs(const ChipModel& chip, const VectorRate& rate, uint64_t rows, uint64_t per_row) {
    const VectorParameters& vector = chip.aiv.vector;
    Milli busy = 0;
    for (uint64_t left = rows; left > 1; left /= 2)
        busy += left / 2 * (std::max<Milli>(vector.row_expand, 1000) + (per_row - 1) * 1000) +
                rate.dependent;
    return vector_step(chip, busy, rate.start);
}

// One instruction of two sources for each row, each waiting for the previous one. On a5 a broadcast stores down the
// columns, as reductions read, and an operation with a row goes along the rows.
Cost along_columns(const ChipModel& chip, const Instruction& instruction) {
    const VectorRate& rate = chip.aiv.vector.rate[static_cast<size_t>(instruction.opcode)];
    const Tile& dst = instruction.operands[0].tile;
    const Tile& src = instruction.operand_count > 1 && instruction.operands[1].is_tile()
                          ? instruction.tile(1)
                          : dst;
    const Tile& wide = src.valid_rows >= dst.valid_rows ? src : dst;
    const auto [rows, per_row] = rows_and_repeats(wide);
    const bool reduces = dst.valid_rows == 1 && src.valid_rows > 1;
    if (by_functions(chip)) {
        if (reduces) return reduction_loops(chip, rate, {per_row, rows});
        if (source_tiles(instruction) > 1)
            return expansion(chip, instruction, curve_of(chip, instruction), {rows, per_row});
        return expansion(chip, instruction, chip.aiv.vector.curve.unary, {per_row, rows});
    }
    if (!reduces && source_tiles(instruction) < 2)
        return copies_in_ub(chip, rows, bytes(wide.dtype, static_cast<size_t>(wide.valid_cols)));
    if (!reduces)
        return vector_step(chip, rows * per_row * (bits(wide.dtype) >= 32 ? rate.b32 : rate.b16),
                           rate.start);
    if (instruction.attributes.binary_tree) return by_pairs(chip, rate, rows, per_row);
    const uint64_t row_bytes = bytes(wide.dtype, static_cast<size_t>(wide.valid_cols));
    const bool apart = per_row > 1 && row_bytes % kRepeatBytes != 0 && rate.tail_apart != 0;
    const uint64_t waiting = apart ? 2 : 1;  // instructions of a row that wait; others follow these
    Milli row = waiting * rate.dependent;
    if (per_row > waiting) row += (per_row - waiting) * chip.aiv.vector.column_fold;
    return vector_step(chip, rows * row, rate.start);
}

// Sorts by 32 elements of the source, gathers by 16 of the result.
Cost by_element(const ChipModel& chip, const Instruction& instruction) {
    const VectorRate& rate = chip.aiv.vector.rate[static_cast<size_t>(instruction.opcode)];
    const bool sorts = info(instruction.opcode).timing == TimingClass::kVectorSort;
    const bool source = sorts && instruction.operand_count > 1 && instruction.operands[1].is_tile();
    const Tile& tile = source ? instruction.tile(1) : instruction.operands[0].tile;
    const auto elements =
        static_cast<uint64_t>(tile.valid_rows) * static_cast<uint64_t>(tile.valid_cols);
    const Milli own = bits(tile.dtype) >= 32 ? rate.b32 : rate.b16;
    if (sorts) return vector_step(chip, ceil_div(elements, 32) * own, rate.start);
    if (instruction.attributes.mask_pattern != 0 && rate.by_pattern != 0) {
        const Tile& from = instruction.tile(1);
        const auto repeats = static_cast<uint64_t>(from.valid_rows) * repeats_of_row(from);
        return vector_step(chip, repeats * rate.by_pattern, rate.start);
    }
    return vector_step(
        chip, static_cast<uint64_t>(tile.valid_rows) * rate.row + ceil_div(elements, 16) * own,
        rate.start);
}

}  // namespace

std::optional<Passes> passes_of(const Instruction& instruction) {
    const Tile& dst = instruction.operands[0].tile;
    switch (info(instruction.opcode).timing) {
        case TimingClass::kVector:
            return passes_over(widest_tile(instruction));
        case TimingClass::kVectorRow:
            if (dst.valid_cols == 1) return std::nullopt;
            return passes_over(dst);
        case TimingClass::kVectorCol:
            if (dst.valid_rows == 1) return std::nullopt;
            return passes_over(dst);
        default:
            return std::nullopt;
    }
}

Cost vector_cost(const ChipModel& chip, const Instruction& instruction) {
    switch (info(instruction.opcode).timing) {
        case TimingClass::kVectorRow:
            return along_rows(chip, instruction);
        case TimingClass::kVectorCol:
            return along_columns(chip, instruction);
        case TimingClass::kVectorSort:
        case TimingClass::kVectorGather:
            return by_element(chip, instruction);
        case TimingClass::kLocalMove:
            if (!by_functions(chip)) return copy_in_ub(chip, instruction);
            break;
        default:
            break;
    }
    return by_functions(chip) ? function(chip, instruction) : elementwise(chip, instruction);
}

}  // namespace ptosim
