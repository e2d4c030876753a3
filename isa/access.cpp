#include "isa/access.h"

#include <algorithm>

#include "isa/empty_regions.h"
#include "isa/instruction_table.h"
#include "isa/mask_pattern.h"
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

// Whether an instruction may write all of its first tile: repeated or turned windows, and gathers
// that clear it.
bool writes_whole(const Instruction& instruction) {
    const Image& image = instruction.attributes.image;
    if (instruction.opcode == Opcode::kTIMG2COL)
        return image.repeat_time > 1 || image.transpose || image.dst_position != 0 ||
               image.dst_stride != 0;
    return instruction.opcode == Opcode::kMGATHER && gather_clears(instruction);
}

// A mask pattern along rows puts what it takes one after the other, in 64-bit elements perhaps row
// by row (profile rule wide-gather-by-rows).
bool packs_lanes(const Instruction& instruction) {
    if (instruction.opcode != Opcode::kTGATHER || instruction.attributes.along_rows) return false;
    for (unsigned i = 2; i < instruction.operand_count; ++i)
        if (instruction.operands[i].present()) return false;
    return true;
}

Tile packed_lanes(Tile tile, const Tile& from, MaskPattern pattern) {
    const int taken = pattern.count(from.valid_cols);
    const int by_rows = (from.valid_rows - 1) * (tile.cols / pattern.period) + taken;
    const int most = bits(tile.dtype) == 64 ? std::max(from.valid_rows * taken, by_rows)
                                            : from.valid_rows * taken;
    tile.cols = tile.valid_cols = std::min(most, tile.rows * tile.pitch);
    tile.rows = tile.valid_rows = 1;
    return tile;
}

// A conversion to 4-bit floats may clear the rest of its rows (profile rule fp4-rows-clear).
bool writes_lines(const Instruction& instruction) {
    if (instruction.opcode != Opcode::kTCVT) return false;
    const DType to = instruction.tile(0).dtype;
    return to == DType::kE2M1 || to == DType::kE1M2;
}

int32_t round_up(int32_t count, int32_t unit, int32_t most) {
    return std::min(most, (count + unit - 1) / unit * unit);
}

// A load fills the last block of each line in UB if the tile has a pad value, and the last box of
// each line in L1 (isa/semantics/memory.cpp).
bool loads_beyond_valid(const Instruction& instruction) {
    if (instruction.opcode != Opcode::kTLOAD) return false;
    const Tile& to = instruction.tile(0);
    return to.boxed() ? to.space == Space::kL1 : to.space == Space::kUB && to.pad != Pad::kNull;
}

Tile loaded(Tile tile) {
    const bool along_cols =
        tile.boxed() ? tile.inner == InnerLayout::kRowMajor : tile.outer == OuterLayout::kRowMajor;
    const auto unit = tile.boxed() ? (along_cols ? tile.box_cols() : tile.box_rows())
                                   : static_cast<int32_t>(32 * 8 / bits(tile.dtype));
    if (along_cols)
        tile.valid_cols = round_up(tile.valid_cols, unit, tile.cols);
    else
        tile.valid_rows = round_up(tile.valid_rows, unit, tile.rows);
    return tile;
}

// The source of a fill in place is its destination: only what lies around it is written, whether
// it has been loaded already or not (hw-native-sys/pto-isa include/pto/npu/a2a3/TFillPad.hpp).
bool fills_in_place(const Instruction& instruction) {
    const bool within =
        instruction.opcode == Opcode::kTFILLPAD_INPLACE ||
        (instruction.opcode == Opcode::kTFILLPAD && instruction.tile(0).space == Space::kL1);
    return within && instruction.tile(0).address == instruction.tile(1).address;
}

// Along rows, the maxima and factors of a quantisation to MX stand one after the other, and so do
// its exponents in a tile of one row.
bool follows_on(const Instruction& instruction, unsigned operand) {
    if (instruction.opcode != Opcode::kTQUANT_MX || instruction.attributes.group_rows) return false;
    if (operand == 2) return instruction.tile(2).rows == 1 && !instruction.attributes.interleave;
    return operand == 3 || operand == 4;
}

Tile one_after_the_other(Tile tile, const Tile& quantised) {
    constexpr int32_t kGroup = 32;
    tile.rows = tile.valid_rows = 1;
    tile.cols = tile.valid_cols = quantised.valid_rows * (quantised.valid_cols / kGroup);
    return tile;
}

// A transposition between convolution layouts reads the elements of the source's shape, which lie
// one after the other; its tile may be larger.
bool is_convolution(const Instruction& instruction, unsigned operand) {
    return instruction.opcode == Opcode::kTTRANS && operand == 1 &&
           instruction.attributes.conv_src.given();
}

Tile convolution_source(const Instruction& instruction) {
    const Attributes& modes = instruction.attributes;
    Tile tile = instruction.tile(1);
    tile.cols = tile.valid_cols =
        static_cast<int32_t>(as_stored(modes.conv_src, modes.conv_dst).elements());
    tile.rows = tile.valid_rows = 1;
    return tile;
}

// What a product touches of its accumulators and of its bias is as large as its factors say, which
// may be less than what is valid there.
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

bool goes_beyond(const Instruction& instruction, unsigned operand) {
    if (operand == 0)
        return writes_whole(instruction) || loads_beyond_valid(instruction) ||
               packs_lanes(instruction) || writes_lines(instruction);
    return follows_on(instruction, operand) || (operand == 1 && exponents_of(instruction));
}

Tile exponents(Tile tile, int64_t count) {
    tile.rows = tile.valid_rows = 1;
    tile.cols = tile.valid_cols = tile.pitch = static_cast<int32_t>(count);
    return tile;
}

// A histogram of the highest bytes has no higher ones to compare.
bool is_unused(const Instruction& instruction, unsigned operand) {
    return instruction.opcode == Opcode::kTHISTOGRAM && operand == 2 &&
           instruction.attributes.byte_select == bytes(instruction.tile(1).dtype, 1) - 1;
}

Tile window(Tile tile, int32_t row, int32_t col) {
    tile.address +=
        static_cast<uint32_t>(bytes(tile.dtype, static_cast<size_t>(tile.index(row, col))));
    tile.valid_rows -= row;
    tile.valid_cols -= col;
    return tile;
}

bool is_nz(const Tile& tile) {
    return tile.outer == OuterLayout::kColMajor && tile.inner == InnerLayout::kRowMajor;
}

// To the right of `inside`, and below; boxes that it reaches into count as inside, but for the rows
// of NZ, which are filled one by one.
TouchedTiles around(const Tile& tile, const Tile& inside) {
    const int32_t row_unit = is_nz(tile) ? 1 : tile.box_rows();
    const int32_t row = round_up(inside.valid_rows, row_unit, tile.valid_rows);
    const int32_t col = round_up(inside.valid_cols, tile.box_cols(), tile.valid_cols);
    TouchedTiles parts;
    if (col < tile.valid_cols) {
        Tile right = window(tile, 0, col);
        right.valid_rows = row;
        if (row > 0) parts.tiles[parts.count++] = right;
    }
    if (row < tile.valid_rows) parts.tiles[parts.count++] = window(tile, row, 0);
    return parts;
}

// Operands 2 and 3 of a window: its first row and column.
int32_t index_of(const Instruction& instruction, unsigned operand) {
    if (operand >= instruction.operand_count || !instruction.operands[operand].is_scalar())
        return 0;
    const Scalar& index = instruction.operands[operand].scalar;
    const unsigned above = 64 - bits(index.dtype);  // indices fit into 32 bits: rule check_window
    return static_cast<int32_t>(index.bits << above >> above);
}

// TINSERT writes a window of its destination, TEXTRACT reads one of its source; TMOV reads what its
// destination has room for, which may be less than what is valid. Exponents are moved one by one.
bool is_window(const Instruction& instruction, unsigned operand) {
    switch (instruction.opcode) {
        case Opcode::kTINSERT:
            return operand == 0;
        case Opcode::kTEXTRACT:
            return operand == 1;
        case Opcode::kTMOV:
            return operand == 1 && !is_dual_move(instruction) && !exponents_of(instruction);
        default:
            return false;
    }
}

// Exact along the lines of NZ and ZN; boxes that it reaches into across them count whole.
Tile window_of(const Instruction& instruction, unsigned operand) {
    const Tile& whole = instruction.tile(operand);
    const Tile& part = instruction.tile(1 - operand);
    int32_t rows = part.valid_rows, cols = part.valid_cols;
    if (is_dual_move(instruction)) {  // each vector core has half of what leaves L0C
        int32_t& halved = instruction.attributes.acc_to_vec == AccToVec::kDualSplitM ? rows : cols;
        halved = operand == 0 ? halved / 2 : halved * 2;
    }
    const bool moves = instruction.opcode == Opcode::kTMOV;
    const int32_t row = moves ? 0 : index_of(instruction, 2);
    const int32_t col = moves ? 0 : index_of(instruction, 3);
    const bool zn = whole.outer == OuterLayout::kRowMajor && whole.inner == InnerLayout::kColMajor;
    const int32_t into_row = is_nz(whole) ? 0 : row % whole.box_rows();
    const int32_t into_col = zn ? 0 : col % whole.box_cols();
    Tile tile = window(whole, row - into_row, col - into_col);
    tile.valid_rows = rows + into_row;
    tile.valid_cols = cols + into_col;
    return tile;
}

}  // namespace

bool gather_clears(const Instruction& instruction) {
    const Attributes& modes = instruction.attributes;
    const bool zero = modes.out_of_bounds == OutOfBounds::kZero;
    const Tile& to = instruction.tile(0);
    Tile dense = to;
    set_dense_pitch(dense);
    if (dense.pitch != to.pitch) return false;
    return to.space == Space::kL1 ? modes.by_element || zero
                                  : to.boxed() && zero && !modes.by_element;
}

std::optional<Exponents> exponents_of(const Instruction& instruction) {
    if (instruction.opcode != Opcode::kTMOV || instruction.operand_count < 5 ||
        !instruction.operands[4].present())
        return std::nullopt;
    const Tile& to = instruction.tile(0);
    const int64_t read = int64_t{to.valid_rows} * to.valid_cols;
    if (instruction.attributes.group_rows) return Exponents{read, read};
    const int64_t boxes = int64_t{to.valid_rows + 15} / 16 * 16 * to.valid_cols;
    const auto room = static_cast<int64_t>(instruction.tile(1).byte_size());
    return Exponents{read, std::max(read, std::min(boxes, room))};
}

TouchedTiles touched_tiles(const Instruction& instruction, unsigned operand) {
    const Tile& tile = instruction.tile(operand);
    if (does_nothing(instruction)) return {};
    if (operand <= 1 && fills_in_place(instruction))
        return operand == 0 ? around(tile, instruction.tile(1)) : TouchedTiles{};
    if (is_unused(instruction, operand)) return {};
    if (is_window(instruction, operand)) return {{window_of(instruction, operand)}, 1};
    if (is_sized_by_factors(instruction, operand))
        return {{sized_by_factors(instruction, operand)}, 1};
    if (is_convolution(instruction, operand)) return {{convolution_source(instruction)}, 1};
    if (const auto boxed = operand == 1 ? exponents_of(instruction) : std::nullopt)
        return {{exponents(tile, boxed->read)}, 1};
    if (follows_on(instruction, operand))
        return {{one_after_the_other(tile, instruction.tile(1))}, 1};
    TouchedTiles touched{{tile}, 1};
    if (operand != 0) return touched;
    if (writes_whole(instruction)) {
        touched.tiles[0].valid_rows = tile.rows;
        touched.tiles[0].valid_cols = tile.cols;
    } else if (loads_beyond_valid(instruction)) {
        touched.tiles[0] = loaded(tile);
    } else if (packs_lanes(instruction)) {
        touched.tiles[0] = packed_lanes(tile, instruction.tile(1),
                                        MaskPattern{instruction.attributes.mask_pattern});
    } else if (writes_lines(instruction)) {
        touched.tiles[0].valid_cols = tile.cols;
    }
    return touched;
}

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
            access.end =
                access.begin + (goes_beyond(instruction, i)
                                    ? touched_tiles(instruction, i).tiles[0].touched_bytes()
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
        if (const auto boxed = i == 1 ? exponents_of(instruction) : std::nullopt;
            boxed && boxed->filled > boxed->read) {
            access.begin = operand.tile.address + static_cast<uint64_t>(boxed->read);
            access.end = operand.tile.address + static_cast<uint64_t>(boxed->filled);
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

}  // namespace ptosim
