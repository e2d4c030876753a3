#include "isa/table/access.h"

#include <algorithm>

#include "isa/core/arch.h"
#include "isa/table/instruction_traits.h"
#include "isa/table/remote_operands.h"

namespace ptosim {
namespace {

// A view whose outer dimensions are trivial: rows of `width` elements, `pitch` apart.
struct Rows {
    int64_t pitch = 0, width = 0;
    bool valid = false;
};

Rows rows_of(const GlobalView& view) {
    Rows rows;
    const bool two_dimensional = view.shape[0] == 1 && view.shape[1] == 1 && view.shape[2] == 1;
    if (!two_dimensional || view.stride[4] != 1 || view.stride[3] <= 0) return rows;
    rows.pitch = view.stride[3];
    rows.width = view.shape[4];
    rows.valid = rows.width <= rows.pitch;
    return rows;
}

bool columns_meet(const GlobalView& a, const GlobalView& b) {
    const Rows ra = rows_of(a), rb = rows_of(b);
    if (!ra.valid || !rb.valid || ra.pitch != rb.pitch || bits(a.dtype) != bits(b.dtype) ||
        bits(a.dtype) < 8)
        return true;
    const uint64_t pitch = bytes(a.dtype, static_cast<size_t>(ra.pitch));
    // Columns of b seen from the first column of a, on a ring of one row.
    const uint64_t offset = (b.address % pitch + pitch - a.address % pitch) % pitch;
    const uint64_t width_a = bytes(a.dtype, static_cast<size_t>(ra.width));
    const uint64_t width_b = bytes(b.dtype, static_cast<size_t>(rb.width));
    return offset < width_a || offset + width_b > pitch;
}

// The factors alone decide how much of its accumulators and its bias a product touches, which may be less than their
// valid part.
bool is_sized_by_factors(const Instruction& instruction, unsigned operand) {
    const Space space = instruction.tile(operand).space;
    return info(instruction.opcode).pipe == PipeRule::kCube &&
           (space == Space::kL0C || space == Space::kBias);
}

Tile sized_by_factors(const Instruction& instruction, unsigned operand) {
    Tile tile = instruction.tile(operand);
    for (unsigned i = 0; i < instruction.operand_count; ++i) {
        if (!instruction.operands[i].is_tile()) continue;
        const Tile& factor = instruction.tile(i);
        if (factor.space == Space::kL0A && tile.space == Space::kL0C)
            tile.valid_rows = factor.valid_rows;
        if (factor.space == Space::kL0B) tile.valid_cols = factor.valid_cols;
    }
    return tile;
}

}  // namespace

TouchedTiles touched_tiles(const Instruction& instruction, unsigned operand) {
    if (does_nothing(instruction)) return {};
    if (const auto own = traits(instruction.opcode).touched) return own(instruction, operand);
    if (is_sized_by_factors(instruction, operand))
        return {{sized_by_factors(instruction, operand)}, 1};
    return {{instruction.tile(operand)}, 1};
}

AccessList accesses(const Instruction& instruction) {
    AccessList list;
    const InstructionInfo& row = info(instruction.opcode);
    const InstructionTraits& own = *row.traits;
    for (unsigned i = 0; i < instruction.operand_count && i < row.operands.size(); ++i) {
        const Operand& operand = instruction.operands[i];
        if (!operand.is_tile() && !operand.is_global()) continue;
        Access access;
        access.operand = static_cast<uint8_t>(i);
        const OperandRole role = row.operands[i].role;
        access.writes = role != OperandRole::kIn;
        access.reads = role != OperandRole::kOut;
        if (operand.is_tile()) {
            access.space = operand.tile.space;
            access.peers = remote_cores_of(instruction, i);
            access.begin = operand.tile.address;
            access.end =
                access.begin + (own.reaches_beyond != nullptr && own.reaches_beyond(instruction, i)
                                    ? touched_tiles(instruction, i).tiles[0].touched_bytes()
                                    : operand.tile.touched_bytes());
        } else {
            access.global = true;
            access.begin = operand.global.address;
            access.end = access.begin + touched_view(instruction, i).span_bytes();
            access.view = &operand.global;
            if (access.writes && instruction.attributes.atomic != AtomicMode::kNone)
                access.reads = true;
        }
        list.items[list.count++] = access;
        if (i != 1 || own.cleared_tail == nullptr) continue;
        if (const auto tail = own.cleared_tail(instruction); tail && tail->filled > tail->read) {
            access.begin = operand.tile.address + static_cast<uint64_t>(tail->read);
            access.end = operand.tile.address + static_cast<uint64_t>(tail->filled);
            access.reads = false;
            access.writes = access.padding = true;
            list.items[list.count++] = access;
        }
    }
    return list;
}

bool conflict(const Access& a, const Access& b) {
    if (!a.writes && !b.writes) return false;
    if (a.global != b.global) return false;
    if (!a.global && a.space != b.space) return false;
    if (a.end <= b.begin || b.end <= a.begin) return false;
    if (a.global && a.view != nullptr && b.view != nullptr) return columns_meet(*a.view, *b.view);
    return true;
}

GlobalView with_dense_lines(const GlobalView& view, const Tile& tile) {
    GlobalView dense = view;
    if (view.layout == GlobalLayout::kNZ) {
        dense.stride[4] = 1;
        dense.stride[3] = view.shape[4];
        dense.stride[2] = int64_t{view.shape[3]} * view.shape[4];
    } else if (view.layout == GlobalLayout::kND || view.layout == GlobalLayout::kDN) {
        const bool by_rows = tile.boxed() ? view.layout == GlobalLayout::kND
                                          : tile.outer == OuterLayout::kRowMajor;
        const bool turned = view.matrix_rows() != tile.valid_rows &&
                            view.matrix_rows() == tile.valid_cols &&
                            view.matrix_cols() == tile.valid_rows;
        if (!turned) dense.stride[by_rows ? 4 : 3] = 1;
    }
    // If there is one element, no stride is read.
    for (size_t i = 0; i < GlobalView::kRank; ++i)
        if (view.shape[i] == 1) dense.stride[i] = view.stride[i];
    return dense;
}

GlobalView touched_view(const Instruction& instruction, unsigned operand) {
    GlobalView view = instruction.operands[operand].global;
    const TimingClass kind = info(instruction.opcode).timing;
    const PipeRule pipe = info(instruction.opcode).pipe;
    if ((pipe == PipeRule::kLoad || pipe == PipeRule::kStore) && instruction.operand_count > 1 &&
        instruction.operands[1 - operand].is_tile() && !instruction.attributes.convolution().dst.given())
        view = with_dense_lines(view, instruction.tile(1 - operand));
    const bool transfer = kind == TimingClass::kLoad || kind == TimingClass::kStore;
    // A third operand selects elements: any of the view.
    if (!transfer || instruction.operand_count != 2 || !instruction.operands[1 - operand].is_tile())
        return view;
    const Tile& tile = instruction.tile(1 - operand);
    const bool by_rows = view.layout == GlobalLayout::kND;
    const bool by_columns = view.layout == GlobalLayout::kDN;
    if (tile.space != Space::kUB || tile.boxed() || !(by_rows || by_columns)) return view;
    const auto rows = tile.valid_rows, cols = tile.valid_cols;
    if (layout_name(tile) != (by_rows ? "ND" : "DN") || rows > view.matrix_rows() ||
        cols > view.matrix_cols())
        return view;
    const bool outer = view.shape[0] != 1 || view.shape[1] != 1 || view.shape[2] != 1;
    if (by_rows || !outer) view.shape[4] = cols;
    if (by_columns || !outer) view.shape[3] = rows;
    return view;
}

bool does_nothing(const Instruction& instruction, Arch arch) {
    const EmptyRegion& empty = traits(instruction.opcode).empty;
    if (empty.operands == 0 ||
        (empty.memory_only && traits_of(arch).vector_operands != VectorOperands::kMemory))
        return false;
    for (unsigned i = 0; i < instruction.operand_count; ++i) {
        if ((empty.operands >> i & 1) == 0) continue;
        const Tile& tile = instruction.tile(i);
        if (tile.valid_rows == 0 || (!empty.rows_only && tile.valid_cols == 0)) return true;
    }
    return false;
}

bool does_nothing(const Instruction& instruction) { return does_nothing(instruction, Arch::kA2A3); }

}  // namespace ptosim
