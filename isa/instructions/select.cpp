// Comparisons into packed masks, and selections by them.
//
// A mask row holds one bit per column, the lowest bit of the lowest byte first: column c is bit
// c % 8 of byte c / 8 from the start of that row of the mask tile, whatever the mask's element
// type is (hw-native-sys/pto-isa docs/isa/TCMP.md; npu/a2a3/TSel.hpp steps by mask rows).
#include "isa/instructions/assembler_rules.h"
#include "isa/instructions/row.h"
#include "isa/semantics/implementation_defined.h"
#include "isa/semantics/walks.h"

namespace ptosim::semantics {

namespace {

// Writes the mask elements that hold the bits of the columns, whatever part of the mask is valid (pto-isa a2a3/TCmp.hpp
// and a5/TCmp.hpp: the sources' valid region decides); the bits after the last column of the last element become 0.
// other(row, col, count): the lanes to compare with.
void compare_rows(const Execution& e, FunctionRef<const std::byte*(int row, int col, int count)> other) {
    const Tile& to = e.tile(0);
    const Tile& from = e.tile(1);
    const CompareMode mode = e.instruction.attributes.compare;
    const int mask_bits = static_cast<int>(bits(to.dtype));
    const int columns = static_cast<int>(std::min<int64_t>(int64_t{to.cols} * mask_bits, from.valid_cols));
    alignas(64) std::byte lanes[kChunk * kMostBytes], holds[kChunk];
    for (int row = 0; row < from.valid_rows; ++row)
        for (int col = 0; col < columns; col += kChunk) {
            const int count = std::min(kChunk, columns - col);
            read_line(from, e.bytes[1], row, col, count, bytes(from.dtype, 1), lanes);
            compare_run(mode, from.dtype, lanes, other(row, col, count), holds, count);
            for (int first = 0; first < count; first += mask_bits) {
                uint64_t word = 0;
                for (int i = first; i < std::min(first + mask_bits, count); ++i)
                    word |= std::to_integer<uint64_t>(holds[i]) << (i - first);
                write_line(to, e.bytes[0], row, (col + first) / mask_bits, 1, bytes(to.dtype, 1),
                           reinterpret_cast<const std::byte*>(&word));
            }
        }
}

// `count` lanes of the scalar, or of the first element of a tile.
void fill_with_single(const Execution& e, int count, std::byte* lanes) {
    const DType type = e.tile(1).dtype;
    const size_t width = bytes(type, 1);
    uint64_t single = 0;
    if (e.instruction.operands[2].is_tile())
        read_line(e.tile(2), e.bytes[2], 0, 0, 1, width, reinterpret_cast<std::byte*>(&single));
    else
        single = scalar_bits(e.scalar(2), type);
    repeat_lane(reinterpret_cast<const std::byte*>(&single), width, count, lanes);
}

// Masks as the templates of PTOAS store them: the results of one step (two registers of 32-bit elements, one of
// narrower ones) are stored completely, step after step. Rows without gaps form one long row.
void compare_joined(const Execution& e) {
    const Tile& from = e.tile(1);
    const bool flat = from.pitch == from.valid_cols || from.valid_rows == 1;
    const int rows = flat ? 1 : from.valid_rows;
    const int64_t lanes = flat ? int64_t{from.valid_rows} * from.valid_cols : from.valid_cols;
    const int64_t step = bits(from.dtype) == 8 ? 256 : 128;
    const auto room = static_cast<int64_t>(e.tile(0).byte_size());
    const auto width = static_cast<int64_t>(bytes(from.dtype, 1));
    alignas(64) std::byte single[256 * kMostBytes], holds[256];
    fill_with_single(e, static_cast<int>(step), single);
    int64_t at = 0;
    for (int row = 0; row < rows; ++row)
        for (int64_t first = 0; first < lanes && at < room; first += step) {
            std::fill_n(holds, step, std::byte{0});
            compare_run(e.instruction.attributes.compare, from.dtype,
                        e.bytes[1] + (from.index(row, 0) + first) * width, single, holds,
                        std::min(step, lanes - first));
            for (int64_t i = 0; i < step && at < room; i += 8) {
                unsigned byte = 0;
                for (int64_t bit = 0; bit < 8; ++bit) byte |= std::to_integer<unsigned>(holds[i + bit]) << bit;
                e.bytes[0][at++] = static_cast<std::byte>(byte);
            }
        }
}

// A byte for each of the mask bits of a row from column `col` on, which is a multiple of 8.
void read_mask(const Execution& e, int row, int col, int count, std::byte* chosen) {
    const Tile& mask = e.tile(1);
    const std::byte* const line =
        e.bytes[1] + mask.index(row, 0) * static_cast<int64_t>(bits(mask.dtype)) / 8 + col / 8;
    for (int i = 0; i < count; ++i)
        chosen[i] = static_cast<std::byte>(std::to_integer<unsigned>(line[i / 8]) >> (i % 8) & 1u);
}

// dst(i, j) = mask bit (i, j) ? first(i, j) : lane j of what second(row, col, count, lanes) writes
void select(const Execution& e, unsigned first, FunctionRef<void(int row, int col, int count, std::byte* lanes)> second) {
    const Tile& to = e.tile(0);
    const size_t width = bytes(to.dtype, 1);
    alignas(64) std::byte lanes[kChunk * kMostBytes], others[kChunk * kMostBytes], chosen[kChunk];
    for_chunks(to.valid_rows, to.valid_cols, false, [&](int row, int col, int count) {
        read_line(e.tile(first), e.bytes[first], row, col, count, width, lanes);
        second(row, col, count, others);
        read_mask(e, row, col, count, chosen);
        choose_run(width, chosen, lanes, others, lanes, count);
        write_line(to, e.bytes[0], row, col, count, width, lanes);
    });
}

}  // namespace

void TCMP(const Execution& e) {
    alignas(64) std::byte lanes[kChunk * kMostBytes];
    compare_rows(e, [&](int row, int col, int count) {
        read_line(e.tile(2), e.bytes[2], row, col, count, bytes(e.tile(1).dtype, 1), lanes);
        return static_cast<const std::byte*>(lanes);
    });
}

void TCMPS(const Execution& e) {
    if (e.numerics == Numerics::kA5Templates) return compare_joined(e);
    alignas(64) std::byte lanes[kChunk * kMostBytes];
    fill_with_single(e, kChunk, lanes);
    compare_rows(e, [&](int, int, int) { return static_cast<const std::byte*>(lanes); });
}

void TSEL(const Execution& e) {
    select(e, 2, [&](int row, int col, int count, std::byte* lanes) {
        read_line(e.tile(3), e.bytes[3], row, col, count, bytes(e.tile(0).dtype, 1), lanes);
    });
}

void TSELS(const Execution& e) {
    const DType type = e.tile(0).dtype;
    const uint64_t scalar = scalar_bits(e.scalar(4), type);
    select(e, 2, [&](int, int, int count, std::byte* lanes) {
        repeat_lane(reinterpret_cast<const std::byte*>(&scalar), bytes(type, 1), count, lanes);
    });
}

// ---- functions that its rows name ------------------------------------------------------------

namespace {

void check_packing(ImplementationDefinedCheck& check) {
    check.always("P03", 0, " is a mask, whose packing is undocumented", "mask-bits");
}

// hw-native-sys/pto-isa docs/isa/{TSEL,TSELS}.md: "tmp".
uint64_t scratch_of_selection(const Instruction& instruction) {
    return bits(instruction.tile(0).dtype) == 16 ? 16 : 8;
}
uint64_t scratch_of_scalar_selection(const Instruction& instruction) {
    return bytes(instruction.tile(0).dtype, 1);
}

// hw-native-sys/pto-isa include/pto/npu/a2a3/{TSel,TSels}.hpp: a vector of dst is written before the mask
// of the next one is read; the address of each row's mask goes through scratch, or the scalar once.
bool is_longer_than_a_vector(const Instruction& instruction) {
    const Tile& dst = instruction.tile(0);
    return dst.valid_rows > 1 || bytes(dst.dtype, static_cast<size_t>(dst.valid_cols)) > 256;
}
constexpr EarlyWrite kResultOverMask{0, 1, EarlyWrite::Unless::kNever, is_longer_than_a_vector};
constexpr std::array kSelectionWrites{kResultOverMask, EarlyWrite{4, 0}, EarlyWrite{4, 1},
                                      EarlyWrite{4, 2}, EarlyWrite{4, 3}};
constexpr std::array kScalarSelectionWrites{kResultOverMask, EarlyWrite{3, 1}, EarlyWrite{3, 2}};

constexpr std::array kCompareScalarFlags{InternalFlag{Pipe::kMTE1, Pipe::kS, 0},
                                         InternalFlag{Pipe::kMTE2, Pipe::kS, 0},
                                         InternalFlag{Pipe::kV, Pipe::kS, 0}};

}  // namespace

}  // namespace ptosim::semantics

namespace ptosim::rules {

using enum DType;

namespace {

// Bits of a packed mask row cover `cols` columns.
bool covers_columns(const Tile& mask, int rows, int cols) {
    return mask.valid_rows >= rows && static_cast<int64_t>(mask.cols) * bits(mask.dtype) >= cols;
}

// hw-native-sys/pto-isa docs/isa/TCMP.md; A2 and A3 ignore the mode for i32.
bool check_compare_mask(const Instruction& instruction, const InstructionInfo& row, Arch arch,
                        Problem& problem) {
    const Tile& dst = instruction.tile(0);
    const Tile& src = instruction.tile(1);
    const DTypeSet masks{kU8, kI8, kU32};
    if (!masks.contains(dst.dtype)) return wrong_type(problem, row, "T06", 0, dst.dtype, masks);
    if (instruction.operands[2].is_tile()) {
        if (instruction.tile(2).dtype != src.dtype)
            return wrong_type(problem, row, "T01", 2, instruction.tile(2).dtype, {src.dtype});
        const Tile& other = instruction.tile(2);
        if (row.opcode == Opcode::kTCMPS ? other.valid_rows < 1 || other.valid_cols < 1
                                         : !same_lanes(other, src))
            return wrong_valid(problem, row, "S04", 2, other,
                               row.opcode == Opcode::kTCMPS ? "one element" : valid_text(src));
    } else if (!check_scalar(instruction, row, 2, src.dtype, problem)) {
        return false;
    }
    if (!traits_of(arch).orders_i32 && src.dtype == kI32 &&
        instruction.attributes.compare != CompareMode::kEq)
        return fail(problem, "P02", 1,
                    operand_text(row, 1) + " is i32, which " + std::string(name(arch)) +
                        " only compares for equality",
                    "convert to f32, or compare with eq");
    if (dst.valid_rows != src.valid_rows || !covers_columns(dst, src.valid_rows, src.valid_cols))
        return wrong_valid(problem, row, "S04", 0, dst,
                           std::to_string(src.valid_rows) + " rows of " +
                               std::to_string(src.valid_cols) + " bits");
    return true;
}

constexpr LegalityRule compare_mask{
    "compare_mask", "T01 T02 T06 S04 P02",
    "the mask is of integers and has a bit for each element; sources agree; a2a3 compares "
    "i32 with eq only",
    &check_compare_mask};

bool check_select_mask(const Instruction& instruction, const InstructionInfo& row, Arch,
                       Problem& problem) {
    const Tile& dst = instruction.tile(0);
    const Tile& mask = instruction.tile(1);
    if (!is_integer(mask.dtype))
        return fail(problem, "T06", 1,
                    operand_text(row, 1) + " is " + std::string(name(mask.dtype)) +
                        "; a mask is made of integers");
    for (unsigned i = 2; i < 4; ++i) {
        if (!given(instruction, i) || !instruction.operands[i].is_tile() ||
            row.operands[i].role == OperandRole::kTmp)
            continue;
        const Tile& source = instruction.tile(i);
        if (source.dtype != dst.dtype)
            return wrong_type(problem, row, "T01", i, source.dtype, {dst.dtype});
        if (!same_lanes(source, dst))
            return wrong_valid(problem, row, "S04", i, source, valid_text(dst));
    }
    if (covers_columns(mask, dst.valid_rows, dst.valid_cols)) return true;
    return wrong_valid(
        problem, row, "S04", 1, mask,
        std::to_string(dst.valid_rows) + " rows of " + std::to_string(dst.valid_cols) + " bits");
}

constexpr LegalityRule select_mask{
    "select_mask", "T01 T06 S04",
    "the mask is of integers and has a bit for each element; sources are like dst",
    &check_select_mask};

}  // namespace

}  // namespace ptosim::rules

namespace ptosim::rows {

namespace {

std::string mask_lacks(const ScratchUse& use) {
    if (bits(use.tmp->dtype) != 32) return "has elements of 32 bits";
    return needs_bytes(use, 16);
}
std::string scalar_mask_lacks(const ScratchUse& use) {
    if (use.tmp->dtype != use.dst->dtype) return "has the type of the destination";
    return needs_bytes(use, 16);
}

void compare_form(const WrittenOperation& op) {
    const Tile* mask = op.tile("dst");
    op.require(mask == nullptr || bits(mask->dtype) == 8, "T06", "makes a mask of i8 or ui8");
    if (!op.for_a5()) return;
    require_same_shape(op, "src1", "src0");
    require_same_shape(op, "dst", "src0");
}

void compare_scalar_form(const WrittenOperation& op) {
    require_same_valid(op, "dst", "src", Extents::kRows);
}

void select_scalar_form(const WrittenOperation& op) { require_same_valid(op, "src", "dst"); }

constexpr AssemblerScratch kSelectScratch{.made = [](const Instruction&) -> std::optional<Tile> {
                                              return full_scratch_tile(1, 16, DType::kI32);
                                          },
                                          .lacks = mask_lacks};

constexpr AssemblerScratch kSelectScalarScratch{
    .made = [](const Instruction& i) -> std::optional<Tile> {
        return scratch_tile(1, i.tile(2).cols, i.tile(2).dtype, 1, i.tile(2).valid_cols);
    },
    .lacks = scalar_mask_lacks};

}  // namespace

#include "isa/instructions/select.def"
}  // namespace ptosim::rows
