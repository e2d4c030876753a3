#include "sim/machine/timing/cost.h"

#include "isa/core/view_rows.h"
#include "isa/intrinsics/intrinsic_instruction.h"
#include "isa/table/access.h"
#include "isa/core/thread_work.h"
#include "sim/machine/timing/arithmetic.h"
#include "sim/machine/timing/intrinsic_cost.h"
#include "sim/machine/timing/vector_cost.h"
#include "sim/machine/timing/vector_program_time.h"

namespace ptosim {
namespace {

constexpr uint64_t kFractal = 16;  // rows and columns of a cube product

uint64_t view_bytes(const GlobalView& view) {
    return bytes(view.dtype, static_cast<size_t>(view.elements() * view.block_channels()));
}

}  // namespace

Cost CostModel::cost(const Instruction& instruction) const {
    switch (info(instruction.opcode).timing) {
        case TimingClass::kScalar:
        case TimingClass::kFlag:
            return make_cost(0, 0, 1000);
        case TimingClass::kVector:
        case TimingClass::kVectorRow:
        case TimingClass::kVectorCol:
        case TimingClass::kVectorSort:
        case TimingClass::kVectorGather:
            return vector_cost(chip_, instruction);
        case TimingClass::kVectorFunction:
            return vector_program_cost(chip_, vector_program(instruction));
        case TimingClass::kThreads: {
            const ThreadWork work = thread_work(instruction);
            Cost cost = make_cost(work.cycles * 1000, 0, 1000);
            if (work.read + work.written != 0) {
                cost.shared = Cost::Shared::kRead;
                cost.latency = 1;
            }
            return cost;
        }
        case TimingClass::kIntrinsic:
            return intrinsic_cost(chip_, intrinsic_call(instruction));
        case TimingClass::kCube:
            return cube(instruction);
        case TimingClass::kLoad:
            return load(instruction);
        case TimingClass::kStore:
            return store(instruction);
        case TimingClass::kLocalMove:
            return local_move(instruction);
    }
    return make_cost(0, 0, 1000);
}

Cost CostModel::cube(const Instruction& instruction) const {
    // Operands: c, [c_in,] a, b, [bias]. c gives m and n, the left operand gives k.
    const Tile& c = instruction.operands[0].tile;
    const Tile* left = nullptr;
    for (unsigned i = 1; i < instruction.operand_count; ++i)
        if (instruction.operands[i].is_tile() && instruction.tile(i).space == Space::kL0A)
            left = &instruction.tile(i);
    const auto product = [this](Milli busy) {
        // The factors are read while the pipe is held; later instructions may overwrite them after that.
        Cost cost = make_cost(busy, chip_.aic.cube.overhead, chip_.aic.cube.overhead);
        if (chip_.aic.cube.latency > chip_.aic.cube.overhead)
            cost.fill = whole(busy + chip_.aic.cube.latency) - cost.occupancy;
        return cost;
    };
    if (left == nullptr) return product(0);
    const auto type = static_cast<size_t>(left->dtype);
    const uint64_t k0 = std::max<uint64_t>(1, chip_.aic.cube.k_granule[type]);
    const uint64_t k = ceil_div(static_cast<uint64_t>(left->valid_cols), k0) * k0;
    const uint64_t products = ceil_div(static_cast<uint64_t>(c.valid_rows), kFractal) *
                              ceil_div(static_cast<uint64_t>(c.valid_cols), kFractal) * k;
    // Thousandths of depth.
    const Milli per_cycle = std::max<Milli>(1, chip_.aic.cube.k_per_cycle[type]);
    return product(ceil_div(products * 1000 * 1000, per_cycle));
}

Cost CostModel::local_move(const Instruction& instruction) const {
    const Tile& dst = instruction.operands[0].tile;
    const Tile& src = instruction.tile(1);
    if (src.space == Space::kUB && dst.space == Space::kUB) return vector_cost(chip_, instruction);
    const MovePath* path = &chip_.aic.l0c_to_l1;
    if (src.space == Space::kL1) {
        switch (dst.space) {
            case Space::kL0A:
                path = &chip_.aic.l1_to_l0a;
                break;
            case Space::kL0B:
                path = &chip_.aic.l1_to_l0b;
                break;
            case Space::kBias:
                path = &chip_.aic.l1_to_bias;
                break;
            case Space::kUB:
                path = &chip_.aic.l1_to_ub;
                break;
            default:
                path = &chip_.aic.l1_to_fixpipe;
                break;
        }
    } else if (src.space == Space::kUB) {
        path = &chip_.aiv.ub_to_l1;
    }
    // Moved bytes: all of the target, or the window that an insertion fills.
    const TouchedTiles filled = touched_tiles(instruction, 0);
    uint64_t moved = 0;
    for (unsigned i = 0; i < filled.count; ++i) moved += valid_bytes(filled.tiles[i]);
    const Milli busy = ceil_div(moved * 1000 * 1000, path->rate);
    Cost cost = make_cost(busy, path->overhead, path->latency + path->overhead);
    // The overhead belongs to all loads that a library makes of a tile.
    if (is_intrinsic(instruction.opcode)) {
        cost = make_cost(busy, 0, path->latency);
        cost.fill = whole(path->overhead);
    }
    cost.leaves_l1 = src.space == Space::kL1;
    if (cost.leaves_l1) cost.contended = whole(busy * chip_.aic.l1.contention.value() / 1000);
    return cost;
}

namespace {

// True if all rows of a view begin at multiples of 32 bytes.
bool begins_at_blocks(const GlobalView& view) {
    constexpr uint64_t kBlock = 32;
    if (view.address % kBlock != 0) return false;
    const ViewRows rows = rows_of(view);
    for (size_t i = 0; i < rows.depth; ++i)
        if (static_cast<uint64_t>(view.stride[rows.loops[i]]) * bits(view.dtype) % (8 * kBlock) != 0) return false;
    return true;
}

Cost transfer(const DmaPath& path, Cost::Shared direction, const GlobalView& view, uint64_t rows, unsigned operand) {
    const uint64_t count = view_bytes(view);
    Cost cost;
    cost.shared = direction;
    cost.global = static_cast<uint8_t>(operand);
    cost.bytes = count;
    cost.rate = path.rate;
    cost.row_bytes = static_cast<uint32_t>(path.row_bytes);
    cost.rows = static_cast<uint32_t>(rows);
    constexpr uint64_t kMicro = 1000 * 1000;  // bytes over thousandths of bytes a cycle
    const Milli row = path.row_cycles + count * kMicro / rows / path.rate;
    Milli least = path.row_least;
    if (path.far.value() > 0) cost.far_rate = path.far;
    if (path.most.value() > 0) least = std::max<Milli>(least, count * kMicro / rows / path.most);
    if (path.unaligned.value() > 0 && !begins_at_blocks(view))
        least = std::max<Milli>(least, count * kMicro / rows / path.unaligned);
    cost.fixed = path.overhead + rows * path.row_cycles;
    if (row < least) cost.fixed += rows * (least - row);
    cost.occupancy = std::max<Cycle>(1, whole(path.interval));
    cost.latency = std::max<Cycle>(1, whole(path.latency));
    return cost;
}

}  // namespace

Cost CostModel::load(const Instruction& instruction) const {
    const Tile& dst = instruction.operands[0].tile;
    if (instruction.operand_count < 2 || !instruction.operands[1].is_global())
        return make_cost(ceil_div(valid_bytes(dst) * 1000 * 1000, chip_.aic.gm_to_l1.rate), 0,
                         1000);
    const GlobalView src = touched_view(instruction, 1);
    const DmaPath* path = &chip_.aiv.gm_to_ub;
    // Rows as processed by the DMA engine. The conversion processes the matrix row by row, even if rows are contiguous.
    uint64_t rows = row_count(src);
    if (dst.space != Space::kUB) {
        const bool converts = dst.boxed() && src.layout != GlobalLayout::kNZ;
        path = converts ? &chip_.aic.gm_to_l1_nd2nz : &chip_.aic.gm_to_l1;
        if (converts)
            rows = static_cast<uint64_t>(src.layout == GlobalLayout::kDN ? src.matrix_cols()
                                                                         : src.matrix_rows());
    }
    return transfer(*path, Cost::Shared::kRead, src, rows, 1);
}

Cost CostModel::store(const Instruction& instruction) const {
    const GlobalView dst = touched_view(instruction, 0);
    const Tile& src = instruction.tile(1);
    const DmaPath& path = src.space == Space::kL0C ? chip_.aic.l0c_to_gm : chip_.aiv.ub_to_gm;
    return transfer(path, Cost::Shared::kWrite, dst, row_count(dst), 0);
}

}  // namespace ptosim
