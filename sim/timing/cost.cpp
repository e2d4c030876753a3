#include "sim/timing/cost.h"

#include <algorithm>

namespace ptosim {
namespace {

constexpr uint64_t kRepeatBytes = 256;  // what the vector unit takes at once
constexpr uint64_t kFractal = 16;       // rows and columns of a cube product

uint64_t ceil_div(uint64_t a, uint64_t b) { return (a + b - 1) / b; }
Cycle whole(Milli cycles) { return ceil_div(cycles, 1000); }

Cost make(Milli busy, Milli overhead, Milli latency) {
    Cost cost;
    cost.occupancy = std::max<Cycle>(1, whole(busy + overhead));
    cost.latency = std::max(cost.occupancy, whole(busy + latency));
    return cost;
}

uint64_t valid_bytes(const Tile& tile) {
    return bytes(tile.dtype, static_cast<size_t>(tile.valid_rows) *
                                 static_cast<size_t>(tile.valid_cols));
}

// Repeats of one pass over a tile. Rows that fill their pitch run together; others start a repeat
// each.
uint64_t repeats(const Tile& tile) {
    const bool by_column = tile.outer == OuterLayout::kColMajor && !tile.boxed();
    const auto lines = static_cast<uint64_t>(by_column ? tile.valid_cols : tile.valid_rows);
    const auto length = static_cast<uint64_t>(by_column ? tile.valid_rows : tile.valid_cols);
    if (length == static_cast<uint64_t>(tile.pitch) || tile.boxed())
        return ceil_div(valid_bytes(tile), kRepeatBytes);
    return lines * ceil_div(bytes(tile.dtype, length), kRepeatBytes);
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

}  // namespace

Cost CostModel::cost(const Instruction& instruction) const {
    switch (info(instruction.opcode).timing) {
        case TimingClass::kScalar:
        case TimingClass::kFlag: return make(0, 0, 1000);
        case TimingClass::kVector: return vector(instruction);
        case TimingClass::kVectorRow: return vector_row(instruction);
        case TimingClass::kVectorCol: return vector_column(instruction);
        case TimingClass::kVectorSort:
        case TimingClass::kVectorGather: return vector_by_element(instruction);
        case TimingClass::kCube: return cube(instruction);
        case TimingClass::kLoad: return load(instruction);
        case TimingClass::kStore: return store(instruction);
        case TimingClass::kLocalMove: return local_move(instruction);
    }
    return make(0, 0, 1000);
}

Cost CostModel::vector(const Instruction& instruction) const {
    const Tile& tile = widest_tile(instruction);
    const ChipModel::VectorRate& rate = chip_.vector_rate[static_cast<size_t>(instruction.opcode)];
    const Milli per_repeat = bits(tile.dtype) >= 32 ? rate.b32 : rate.b16;
    return make(repeats(tile) * per_repeat, chip_.vector_overhead, chip_.vector_latency);
}

// Reductions and broadcasts along rows are one short instruction per row.
Cost CostModel::vector_row(const Instruction& instruction) const {
    const Tile& dst = instruction.operands[0].tile;
    const bool reduces = dst.valid_cols == 1 || instruction.operand_count < 2 ||
                         !instruction.operands[1].is_tile();
    const Tile& wide = reduces && instruction.operand_count > 1 ? instruction.tile(1) : dst;
    const uint64_t per_row =
        std::max<uint64_t>(1, ceil_div(bytes(wide.dtype, static_cast<size_t>(wide.valid_cols)),
                                       kRepeatBytes));
    const auto rows = static_cast<uint64_t>(wide.valid_rows);
    if (reduces)
        return make(rows * per_row * chip_.vector_row, chip_.vector_overhead,
                    chip_.vector_row_latency);
    const Milli row = std::max<Milli>(chip_.vector_row_expand, per_row * 1000);
    return make(rows * row, chip_.vector_overhead, chip_.vector_latency);
}

// One instruction per row, each waiting for the one before.
Cost CostModel::vector_column(const Instruction& instruction) const {
    const Tile& src = instruction.operand_count > 1 && instruction.operands[1].is_tile()
                          ? instruction.tile(1)
                          : instruction.operands[0].tile;
    const Tile& dst = instruction.operands[0].tile;
    const Tile& wide = src.valid_rows >= dst.valid_rows ? src : dst;
    const uint64_t per_row =
        std::max<uint64_t>(1, ceil_div(bytes(wide.dtype, static_cast<size_t>(wide.valid_cols)),
                                       kRepeatBytes));
    const bool reduces = dst.valid_rows == 1 && src.valid_rows > 1;
    const Milli row = reduces ? chip_.vector_dependent + (per_row - 1) * 1000 : per_row * 1000;
    return make(static_cast<uint64_t>(wide.valid_rows) * row, chip_.vector_overhead,
                chip_.vector_latency);
}

Cost CostModel::vector_by_element(const Instruction& instruction) const {
    const Tile& tile = instruction.operands[0].tile;
    const auto elements =
        static_cast<uint64_t>(tile.valid_rows) * static_cast<uint64_t>(tile.valid_cols);
    return make(ceil_div(elements, 16) * chip_.vector_gather, chip_.vector_overhead,
                chip_.vector_latency);
}

Cost CostModel::cube(const Instruction& instruction) const {
    // Operands: c, [c_in,] a, b, [bias]. m and n are those of c, k is that of the left operand.
    const Tile& c = instruction.operands[0].tile;
    const Tile* left = nullptr;
    for (unsigned i = 1; i < instruction.operand_count; ++i)
        if (instruction.operands[i].is_tile() && instruction.tile(i).space == Space::kL0A)
            left = &instruction.tile(i);
    if (left == nullptr) return make(0, chip_.cube_overhead, chip_.cube_latency);
    const auto type = static_cast<size_t>(left->dtype);
    const uint64_t k0 = std::max<uint64_t>(1, chip_.cube_k0[type]);
    const uint64_t k = ceil_div(static_cast<uint64_t>(left->valid_cols), k0) * k0;
    const uint64_t products = ceil_div(static_cast<uint64_t>(c.valid_rows), kFractal) *
                              ceil_div(static_cast<uint64_t>(c.valid_cols), kFractal) * k;
    const Milli per_cycle = std::max<Milli>(1, chip_.cube_k[type]);  // thousandths of depth
    return make(ceil_div(products * 1000 * 1000, per_cycle), chip_.cube_overhead,
                chip_.cube_latency);
}

Cost CostModel::local_move(const Instruction& instruction) const {
    const Tile& dst = instruction.operands[0].tile;
    const Tile& src = instruction.tile(1);
    if (src.space == Space::kUB && dst.space == Space::kUB) {
        return make(repeats(dst) * 1000, chip_.vector_overhead, chip_.vector_latency);
    }
    const MovePath* path = &chip_.l0c_to_l1;
    if (src.space == Space::kL1) {
        switch (dst.space) {
            case Space::kL0A: path = &chip_.l1_to_l0a; break;
            case Space::kL0B: path = &chip_.l1_to_l0b; break;
            case Space::kBias: path = &chip_.l1_to_bias; break;
            default: path = &chip_.l1_to_fixpipe; break;
        }
    } else if (src.space == Space::kUB) {
        path = &chip_.ub_to_l1;
    }
    const Milli busy = ceil_div(valid_bytes(dst) * 1000 * 1000, path->bytes_per_cycle);
    return make(busy, path->overhead, path->latency + path->overhead);
}

namespace {

Cost transfer(const DmaPath& path, Cost::Shared direction, uint64_t count, uint64_t rows) {
    Cost cost;
    cost.shared = direction;
    cost.bytes = count;
    cost.rate = path.bytes_per_cycle;
    const Milli by_rows = rows * path.row_cycles;
    if (by_rows > 0) cost.rate = std::min(cost.rate, std::max<Milli>(1, count * 1000 * 1000 / by_rows));
    cost.occupancy = std::max<Cycle>(1, whole(path.interval));
    cost.latency = std::max<Cycle>(1, whole(path.latency));
    return cost;
}

}  // namespace

Cost CostModel::load(const Instruction& instruction) const {
    const Tile& dst = instruction.operands[0].tile;
    if (instruction.operand_count < 2 || !instruction.operands[1].is_global())
        return make(ceil_div(valid_bytes(dst) * 1000 * 1000, chip_.gm_to_l1.bytes_per_cycle), 0, 1000);
    const GlobalView& src = instruction.operands[1].global;
    const DmaPath* path = &chip_.gm_to_ub;
    if (dst.space != Space::kUB)
        path = dst.boxed() && src.layout != GlobalLayout::kNZ ? &chip_.gm_to_l1_nd2nz
                                                              : &chip_.gm_to_l1;
    const uint64_t rows = src.layout == GlobalLayout::kDN
                              ? static_cast<uint64_t>(src.matrix_cols())
                              : static_cast<uint64_t>(src.matrix_rows());
    return transfer(*path, Cost::Shared::kRead, bytes(src.dtype, static_cast<size_t>(src.elements())),
                    rows);
}

Cost CostModel::store(const Instruction& instruction) const {
    const GlobalView& dst = instruction.operands[0].global;
    const Tile& src = instruction.tile(1);
    const DmaPath& path = src.space == Space::kL0C ? chip_.l0c_to_gm : chip_.ub_to_gm;
    return transfer(path, Cost::Shared::kWrite,
                    bytes(dst.dtype, static_cast<size_t>(dst.elements())),
                    static_cast<uint64_t>(dst.matrix_rows()));
}

}  // namespace ptosim
