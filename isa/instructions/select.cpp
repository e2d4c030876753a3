// Comparisons into packed masks, and selections by them.
//
// A mask row holds one bit per column, the lowest bit of the lowest byte first: column c is bit
// c % 8 of byte c / 8 from the start of that row of the mask tile, whatever the mask's element
// type is (hw-native-sys/pto-isa docs/isa/TCMP.md; npu/a2a3/TSel.hpp steps by mask rows).
#include "isa/instructions/assembler_rules.h"
#include "isa/instructions/row.h"
#include "isa/semantics/elementwise.h"
#include "isa/semantics/implementation_defined.h"

namespace ptosim::semantics {

namespace {

// NaN is unordered: only "not equal" holds. -0 equals +0.
template <typename T>
bool holds(CompareMode mode, T a, T b) {
    auto compare = [mode](auto x, auto y) {
        switch (mode) {
            case CompareMode::kEq:
                return x == y;
            case CompareMode::kNe:
                return x != y;
            case CompareMode::kLt:
                return x < y;
            case CompareMode::kLe:
                return x <= y;
            case CompareMode::kGt:
                return x > y;
            case CompareMode::kGe:
                return x >= y;
        }
        return false;
    };
    if constexpr (is_float_v<T>)
        return compare(to_float(a), to_float(b));
    else
        return compare(a, b);
}

// Writes the mask elements that hold the bits of the columns, whatever part of the mask is valid (pto-isa a2a3/TCmp.hpp
// and a5/TCmp.hpp: the sources' valid region decides); the bits after the last column of the last element become 0.
template <typename T, typename Other>
void compare_rows(const Execution& e, Other&& other) {
    const Tile& to = e.tile(0);
    const Tile& from = e.tile(1);
    const CompareMode mode = e.instruction.attributes.compare;
    const int mask_bits = static_cast<int>(bits(to.dtype));
    const int elements = std::min(to.cols, (from.valid_cols + mask_bits - 1) / mask_bits);
    visit_bits(to.dtype, [&](auto type) {
        using Mask = decltype(type);
        for (int row = 0; row < from.valid_rows; ++row) {
            for (int element = 0; element < elements; ++element) {
                uint64_t word = 0;
                const int first = element * mask_bits;
                const int last = std::min(first + mask_bits, from.valid_cols);
                for (int col = first; col < last; ++col) {
                    const T a = read_lane<T>(from, e.bytes[1], row, col);
                    if (holds(mode, a, other(row, col))) word |= uint64_t{1} << (col - first);
                }
                write_lane(to, e.bytes[0], row, element, static_cast<Mask>(word));
            }
        }
    });
}

// The scalar, or the first element of a tile.
template <typename T>
T single(const Execution& e) {
    return e.instruction.operands[2].is_tile() ? read_lane<T>(e.tile(2), e.bytes[2], 0, 0)
                                               : scalar_as<T>(e.scalar(2));
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
    const CompareMode mode = e.instruction.attributes.compare;
    visit_arithmetic(from.dtype, [&](auto type) {
        using T = decltype(type);
        const T scalar = single<T>(e);
        int64_t at = 0;
        for (int row = 0; row < rows; ++row)
            for (int64_t first = 0; first < (lanes + step - 1) / step * step && at < room;
                 first += 8) {
                unsigned byte = 0;
                for (int64_t lane = first; lane < std::min(first + 8, lanes); ++lane) {
                    const int64_t index = from.index(row, 0) + lane;
                    const T a = load<T>(e.bytes[1] + index * static_cast<int64_t>(sizeof(T)));
                    if (holds(mode, a, scalar)) byte |= 1u << (lane - first);
                }
                e.bytes[0][at++] = static_cast<std::byte>(byte);
            }
    });
}

bool mask_bit(const Tile& mask, const std::byte* base, int row, int col) {
    const int64_t line = mask.index(row, 0) * static_cast<int64_t>(bits(mask.dtype)) / 8;
    return (std::to_integer<unsigned>(base[line + col / 8]) >> (col % 8) & 1u) != 0;
}

}  // namespace

void TCMP(const Execution& e) {
    visit_arithmetic(e.tile(1).dtype, [&](auto type) {
        using T = decltype(type);
        compare_rows<T>(
            e, [&](int row, int col) { return read_lane<T>(e.tile(2), e.bytes[2], row, col); });
    });
}

void TCMPS(const Execution& e) {
    if (e.numerics == Numerics::kA5Templates) return compare_joined(e);
    visit_arithmetic(e.tile(1).dtype, [&](auto type) {
        using T = decltype(type);
        const T scalar = single<T>(e);
        compare_rows<T>(e, [scalar](int, int) { return scalar; });
    });
}

// dst(i, j) = mask bit (i, j) ? src0(i, j) : src1(i, j)
void TSEL(const Execution& e) {
    const Tile& to = e.tile(0);
    visit_bits(to.dtype, [&](auto type) {
        using T = decltype(type);
        for (int row = 0; row < to.valid_rows; ++row)
            for (int col = 0; col < to.valid_cols; ++col) {
                const unsigned source = mask_bit(e.tile(1), e.bytes[1], row, col) ? 2 : 3;
                write_lane(to, e.bytes[0], row, col,
                           read_lane<T>(e.tile(source), e.bytes[source], row, col));
            }
    });
}

// dst(i, j) = mask bit (i, j) ? src(i, j) : scalar
void TSELS(const Execution& e) {
    const Tile& to = e.tile(0);
    visit_arithmetic(to.dtype, [&](auto type) {
        using T = decltype(type);
        const T scalar = scalar_as<T>(e.scalar(4));
        for (int row = 0; row < to.valid_rows; ++row)
            for (int col = 0; col < to.valid_cols; ++col)
                write_lane(to, e.bytes[0], row, col,
                           mask_bit(e.tile(1), e.bytes[1], row, col)
                               ? read_lane<T>(e.tile(2), e.bytes[2], row, col)
                               : scalar);
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
