// Concatenation of the rows of two tiles, with lengths from indices.
#include "isa/instructions/assembler_rules.h"
#include "isa/instructions/row.h"
#include "isa/semantics/arithmetic.h"
#include "isa/semantics/grid.h"
#include "isa/semantics/undefined_behaviour.h"

namespace ptosim::semantics {

// Row i of dst consists of the first elements of row i of src0, followed by the first elements of row i of src1. The
// lengths are the indices divided by their size in bytes (hw-native-sys/pto-isa include/pto/npu/a2a3/TConcat.hpp;
// profile rule "concat-index-bytes"), limited by the valid regions. dstIdx, in the same unit, is the length of the row.
void TCONCATIDX(const Execution& e) {
    const Tile& to = e.tile(0);
    const int64_t unit = bits(e.tile(3).dtype) / 8;
    const bool counts = e.instruction.operand_count > 5 && e.instruction.operands[5].present();
    visit_integer(e.tile(3).dtype, [&](auto index_type) {
        using Index = decltype(index_type);
        for (int row = 0; row < to.valid_rows; ++row) {
            int64_t wanted[2];
            int begin = 0;
            for (unsigned i = 0; i < 2; ++i) {
                const Tile& from = e.tile(1 + i);
                const auto index = read_lane<Index>(e.tile(3 + i), e.bytes[3 + i], row, 0);
                wanted[i] = std::max<int64_t>(0, static_cast<int64_t>(index) / unit);
                const int count = static_cast<int>(
                    std::min<int64_t>(wanted[i], std::min(from.valid_cols, to.valid_cols - begin)));
                const Grid& target = grid_of(0, to, row, begin, 1, count);
                const Grid& source = grid_of(1, from, row, 0, 1, count);
                copy_elements(bits(to.dtype), e.bytes[0], target, e.bytes[1 + i], source);
                begin += count;
            }
            if (counts) write_lane(e.tile(5), e.bytes[5], row, 0, static_cast<Index>(begin * unit));
        }
    });
}

// ---- functions that its rows name ------------------------------------------------------------

namespace {

// Lengths of TCONCATIDX, in bytes of an index.
void check_length(UndefinedCheck& check, unsigned operand, int columns) {
    const Execution& e = check.execution();
    const int64_t limit = columns * int64_t{bits(e.tile(operand).dtype)} / 8;
    Count found =
        check.integers(operand, [&](int64_t value) { return value < 0 || value > limit; });
    if (found.finding.col > 0) return;  // only the first column counts
    check.report(
        found, "G07",
        "is outside of 0.." + std::to_string(limit) + ", the length of a row of its source:",
        "ptosim ends rows with their source; hardware behaves differently");
}

void check_lengths(UndefinedCheck& check) {
    check_length(check, 3, check.execution().tile(1).valid_cols);
    check_length(check, 4, check.execution().tile(2).valid_cols);
}

// hw-native-sys/pto-isa include/pto/npu/a2a3/TConcat.hpp, the one with indices.
constexpr std::array kIndexFlags{
    InternalFlag{Pipe::kMTE2, Pipe::kS, 0}, InternalFlag{Pipe::kV, Pipe::kS, 0},
    InternalFlag{Pipe::kS, Pipe::kV, 0}, InternalFlag{Pipe::kS, Pipe::kMTE3, 0}};

}  // namespace

}  // namespace ptosim::semantics

namespace ptosim::rules {

using enum DType;

namespace {

bool check_concat_indices(const Instruction& instruction, const InstructionInfo& row, Arch,
                          Problem& problem) {
    const Tile& dst = instruction.tile(0);
    const DTypeSet indices{kI8, kU8, kI16, kU16, kI32, kU32};
    for (unsigned i = 1; i < instruction.operand_count; ++i) {
        if (!given(instruction, i)) continue;
        const Tile& tile = instruction.tile(i);
        if (i < 3 && tile.dtype != dst.dtype)
            return wrong_type(problem, row, "T01", i, tile.dtype, {dst.dtype});
        if (i >= 3 && !indices.contains(tile.dtype))
            return wrong_type(problem, row, "T08", i, tile.dtype, indices);
        if (i >= 3 && tile.dtype != instruction.tile(3).dtype)
            return wrong_type(problem, row, "T08", i, tile.dtype, {instruction.tile(3).dtype});
        if (tile.valid_rows != dst.valid_rows || (i >= 3 && tile.valid_cols < 1))
            return wrong_valid(problem, row, "S12", i, tile,
                               std::to_string(dst.valid_rows) + " rows");
    }
    return true;
}

constexpr LegalityRule concat_indices{
    "concat_indices", "T01 T08 S12",
    "sources have the type of dst, indices are integers of one type; all have the rows of "
    "dst",
    &check_concat_indices};

}  // namespace

}  // namespace ptosim::rules

namespace ptosim::rows {

namespace {

void indexed_form(const WrittenOperation& op) {
    for (const std::string_view lengths : {"src0Idx", "src1Idx"})
        if (const Tile* tile = op.tile(lengths))
            op.require(is_signed(tile->dtype), "T08",
                       "takes a '" + std::string(lengths) + "' of i8, i16 or i32, not " +
                           std::string(name(tile->dtype)));
}

}  // namespace

#include "isa/instructions/concatenate.def"
}  // namespace ptosim::rows
