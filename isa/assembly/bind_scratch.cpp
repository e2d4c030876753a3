// Scratch tiles that a file leaves to the assembler.
#include <algorithm>

#include "isa/assembly/binder_state.h"

namespace ptosim::assembly {

namespace {

constexpr int64_t kOpen = -1;
constexpr unsigned kFirstList = 2, kMostLists = 4;  // operands of TMRGSORT

Tile row_major(int64_t rows, int64_t cols, DType dtype, int64_t valid_rows, int64_t valid_cols) {
    Tile tile;
    tile.space = Space::kUB;
    tile.dtype = dtype;
    tile.rows = static_cast<int32_t>(rows);
    tile.cols = tile.pitch = static_cast<int32_t>(cols);
    tile.valid_rows = static_cast<int32_t>(valid_rows == kOpen ? rows : valid_rows);
    tile.valid_cols = static_cast<int32_t>(valid_cols == kOpen ? cols : valid_cols);
    return tile;
}
Tile whole(int64_t rows, int64_t cols, DType dtype) {
    return row_major(rows, cols, dtype, rows, cols);
}
Tile like(const Tile& tile, DType dtype) {
    return row_major(tile.rows, tile.cols, dtype, tile.valid_rows, tile.valid_cols);
}

int64_t up_to(int64_t value, int64_t unit) { return (value + unit - 1) / unit; }

// One value per row, in a column: the way of TROWEXPAND that needs scratch.
bool expands_column(const Tile& first, const Tile& second, const Tile& dst) {
    const auto same = [](int32_t a, int32_t b) { return a < 0 || b < 0 || a == b; };
    const auto fits = [&](const Tile& tile) {
        return same(tile.valid_rows, dst.valid_rows) && same(tile.valid_cols, dst.valid_cols);
    };
    const Tile& expanded = fits(first) ? second : first;
    return (fits(first) || fits(second)) && expanded.outer == OuterLayout::kColMajor &&
           (expanded.valid_cols < 0 || expanded.valid_cols == 1);
}

Tile of_conversion(const Tile& src, const Tile& dst) {
    const int64_t rows = dst.valid_rows < 0 ? dst.rows : dst.valid_rows;
    const int64_t cols = dst.valid_cols < 0 ? dst.cols : dst.valid_cols;
    int64_t bytes = 0;
    if (rows > 0 && cols > 0 && src.dtype == DType::kF32) {
        const int64_t head = 256 * std::min<int64_t>(cols / 64, 255), rest = cols % 64;
        const int64_t tail =
            rest == 0 ? 0
                      : 32 * ((std::min<int64_t>(rows, 255) - 1) * (src.cols / 8) + up_to(rest, 8));
        bytes = std::max(head, tail);
    } else if (cols > 0) {
        const int64_t width = std::min<int64_t>(cols, 64), to_i16 = 32 * up_to(width, 8);
        bytes = bits(dst.dtype) == 8 ? std::max(to_i16, 128 + 32 * up_to(width, 16)) : to_i16;
    }
    return whole(1, std::max<int64_t>(32, up_to(bytes, 32) * 32), DType::kI8);
}

Tile of_transposition(const Tile& src, const Tile& dst) {
    const int64_t bytes = bits(src.dtype) / 8, block = 32 / bytes;
    const bool used =
        dst.cols % (bytes == 1 ? 32 : 16) == 0 && src.cols % block == 0 && src.cols / block <= 255;
    return used ? like(src, src.dtype) : whole(1, block, src.dtype);
}

// What an instruction of a2a3 needs, where its row has room for it: sizes and conditions of
// hw-native-sys/PTOAS v0.60, lib/PTO/Transforms/PTOMaterializeImplicitTmp.cpp.
std::optional<Tile> scratch_of(const Instruction& instruction) {
    const auto tile = [&](unsigned i) -> const Tile& { return instruction.tile(i); };
    const Tile& dst = tile(0);
    switch (instruction.opcode) {
        case Opcode::kTCI:
            return whole(1, bits(dst.dtype) == 16 ? 448 : 192, DType::kF32);
        case Opcode::kTROWMAX:
        case Opcode::kTROWMIN:
        case Opcode::kTROWSUM:
        case Opcode::kTROWPROD:
        case Opcode::kTROWARGMAX:
        case Opcode::kTROWARGMIN:
        case Opcode::kTCOLARGMAX:
        case Opcode::kTCOLARGMIN:
            return like(tile(1), tile(1).dtype);
        case Opcode::kTQUANT:
            return like(tile(1), DType::kF32);
        case Opcode::kTXOR:
        case Opcode::kTXORS:
            return like(dst, dst.dtype);
        case Opcode::kTPOW:
        case Opcode::kTPOWS:
            if (is_integer(dst.dtype)) return std::nullopt;
            return like(dst, dst.dtype);
        case Opcode::kTCOLSUM: {
            if (!instruction.attributes.binary_tree) return std::nullopt;
            const Tile& src = tile(1);
            const int64_t rows = src.valid_rows < 0 ? src.rows : src.valid_rows;
            return whole(up_to(rows, 2), src.valid_cols < 0 ? src.cols : src.valid_cols, src.dtype);
        }
        case Opcode::kTSORT32: {
            const Tile& src = tile(1);
            if (src.valid_cols < 0) return whole(src.rows, src.cols, src.dtype);
            if (src.valid_cols % 32 == 0) return std::nullopt;
            return like(src, src.dtype);
        }
        case Opcode::kTROWEXPANDADD:
        case Opcode::kTROWEXPANDSUB:
        case Opcode::kTROWEXPANDMUL:
        case Opcode::kTROWEXPANDDIV:
        case Opcode::kTROWEXPANDMAX:
        case Opcode::kTROWEXPANDMIN:
            if (!expands_column(tile(1), tile(2), dst)) return std::nullopt;
            return whole(1, 8192 * 8 / bits(dst.dtype), dst.dtype);
        case Opcode::kTCVT: {
            const DType from = tile(1).dtype, to = dst.dtype;
            const bool narrows = (from == DType::kF32 && to == DType::kI16) ||
                                 (from == DType::kF16 && is_integer(to) && bits(to) <= 16);
            const Attributes& modes = instruction.attributes;
            if (!narrows || !modes.saturation_given || modes.saturation != Saturation::kOff)
                return std::nullopt;
            return of_conversion(tile(1), dst);
        }
        case Opcode::kTPRELU: {
            const int64_t rows = dst.valid_rows < 0 ? dst.rows : dst.valid_rows;
            const int64_t cols = up_to(dst.valid_cols < 0 ? dst.cols : dst.valid_cols, 8);
            return row_major(rows + 1, std::max<int64_t>(32, up_to(cols, 32) * 32), DType::kU8,
                             rows, cols);
        }
        case Opcode::kTREM:
            return row_major(2, dst.cols, dst.dtype, 2, dst.valid_cols);
        case Opcode::kTREMS:
            return row_major(1, dst.cols, dst.dtype, 1, dst.valid_cols);
        case Opcode::kTSEL:
            return whole(1, 16, DType::kI32);
        case Opcode::kTSELS:
            return row_major(1, tile(2).cols, tile(2).dtype, 1, tile(2).valid_cols);
        case Opcode::kTTRANS:
            return of_transposition(tile(1), dst);
        case Opcode::kTMRGSORT: {  // of several lists
            int64_t cols = 0, lists = 0;
            for (unsigned i = kFirstList; i < instruction.operand_count; ++i)
                if (instruction.operands[i].is_tile() && i < kFirstList + kMostLists) {
                    cols += tile(i).cols;
                    ++lists;
                }
            if (lists < 2) return std::nullopt;
            return whole(1, std::max<int64_t>(cols, dst.cols), tile(kFirstList).dtype);
        }
        default:
            return std::nullopt;
    }
}

bool leaves_places(std::span<const Operation> operations) {
    return std::any_of(operations.begin(), operations.end(), [](const Operation& op) {
        const bool allocates = op.name == "pto.alloc_tile" || op.name == "pto.alloc_multi_tile";
        if (allocates && op.clause("addr") == nullptr) return true;
        return std::any_of(op.regions.begin(), op.regions.end(), [](const Region& region) {
            return std::any_of(region.blocks.begin(), region.blocks.end(),
                               [](const Block& block) { return leaves_places(block.operations); });
        });
    });
}

}  // namespace

std::string Binder::scratch_type(const Tile& tile) {
    const auto shape = [](int32_t rows, int32_t cols) {
        return std::to_string(rows) + "x" + std::to_string(cols);
    };
    std::string text =
        "!pto.tile_buf<vec, " + shape(tile.rows, tile.cols) + "x" + std::string(name(tile.dtype));
    if (tile.valid_rows != tile.rows || tile.valid_cols != tile.cols)
        text += ", valid=" + shape(tile.valid_rows, tile.valid_cols);
    return text + ">";
}

// Gives an instruction of a2a3 the scratch tile that the text leaves out, if the text leaves places
// to the assembler; otherwise there is nobody who would know a free one. Instructions of a5 do not
// touch their scratch.
void Binder::add_scratch(const Operation& op, const InstructionInfo& row, IssuePlan& plan) {
    if (!leaves_places_) leaves_places_ = leaves_places(module_.operations);
    if (options_.arch != Arch::kA2A3 || !*leaves_places_) return;
    const auto role = std::find_if(row.operands.begin(), row.operands.end(), [](const auto& info) {
        return info.role == OperandRole::kTmp && (info.kinds & kTileOperand) != 0;
    });
    const auto at = static_cast<size_t>(role - row.operands.begin());
    if (role == row.operands.end() || plan.operands[at].kind != Operand::Kind::kNone) return;
    const std::optional<Tile> tile = scratch_of(plan.prototype);
    if (!tile) return;
    TileHome home;
    home.operation = &op;
    home.step = here();
    home.planned = true;
    home.where = op.location;
    home.bytes = tile->byte_size();
    home.is_scratch = true;
    // That of a merge stands behind the lists, others where the row has it.
    const size_t behind = row.opcode == Opcode::kTMRGSORT ? plan.operands.size() : at;
    for (size_t i = 0; i < behind && i < row.operands.size(); ++i)
        home.scratch_operand += plan.operands[i].kind != Operand::Kind::kNone &&
                                row.operands[i].role == OperandRole::kIn;
    homes_.push_back(home);
    program_.tiles.push_back(*tile);
    OperandPlan& operand = plan.operands[at];
    operand.kind = Operand::Kind::kTile;
    operand.slot = new_tile();
    plan.prototype.operands[at] = *tile;
    plan.prototype.operand_count =
        std::max(plan.prototype.operand_count, static_cast<uint8_t>(at + 1));
    Step& step = emit(StepCode::kTile, op);
    step.r = operand.slot;
    step.index = static_cast<uint32_t>(program_.tiles.size() - 1);
}

}  // namespace ptosim::assembly
