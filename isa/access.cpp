#include "isa/access.h"

#include <algorithm>

#include "isa/instruction_table.h"
#include "isa/peer.h"

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

// Whether an instruction may write its first tile beyond its valid region: repeated or turned
// windows, and gathers into L1, which clear it.
bool writes_whole(const Instruction& instruction) {
    const Image& image = instruction.attributes.image;
    if (instruction.opcode == Opcode::kTIMG2COL)
        return image.repeat_time > 1 || image.transpose || image.dst_position != 0 ||
               image.dst_stride != 0;
    return instruction.opcode == Opcode::kMGATHER && instruction.tile(0).space == Space::kL1;
}

}  // namespace

AccessList accesses(const Instruction& instruction) {
    AccessList list;
    const InstructionInfo& row = info(instruction.opcode);
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
            access.peers = peers_of(instruction, i);
            access.begin = operand.tile.address;
            access.end = access.begin + (i == 0 && writes_whole(instruction)
                                             ? operand.tile.byte_size()
                                             : operand.tile.touched_bytes());
        } else {
            access.global = true;
            access.begin = operand.global.address;
            access.end = access.begin + operand.global.span_bytes();
            access.view = &operand.global;
            if (access.writes && instruction.attributes.atomic != AtomicMode::kNone)
                access.reads = true;
        }
        list.items[list.count++] = access;
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

}  // namespace ptosim
