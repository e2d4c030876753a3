// Counts of bytes.
#include "isa/instructions/assembler_rules.h"
#include "isa/instructions/row.h"
#include "isa/semantics/arithmetic.h"
#include "isa/semantics/tile_regions.h"

namespace ptosim::semantics {

// Operands (dst, src, idx). dst(i, b) = how many elements of row i of src have a selected byte of
// at most b, among those whose higher bytes are the given ones: idx(i, 0) for 16-bit elements,
// idx(0, 0), idx(1, 0), idx(2, 0) from the highest byte down for 32-bit ones
// (hw-native-sys/pto-isa docs/isa/THISTOGRAM.md and tests: the counts are cumulative).
void THISTOGRAM(const Execution& e) {
    const Tile& to = e.tile(0);
    const Tile& from = e.tile(1);
    const Tile& idx = e.tile(2);
    const int byte = e.instruction.attributes.byte_select;
    const int top = static_cast<int>(bits(from.dtype) / 8) - 1;
    visit_bits(from.dtype, [&](auto type) {
        using T = decltype(type);
        for (int row = 0; row < from.valid_rows; ++row) {
            std::array<uint32_t, 256> counts{};
            for (int col = 0; col < from.valid_cols; ++col) {
                const uint64_t value = read_lane<T>(from, e.bytes[1], row, col);
                bool counted = true;
                for (int higher = top; higher > byte; --higher) {
                    const int at = top == 1 ? row : top - higher;
                    counted = counted && (value >> (8 * higher) & 0xFF) ==
                                             read_lane<uint8_t>(idx, e.bytes[2], at, 0);
                }
                if (counted) ++counts[value >> (8 * byte) & 0xFF];
            }
            uint32_t sum = 0;
            for (int bin = 0; bin < 256; ++bin) {
                sum += counts[static_cast<size_t>(bin)];
                write_lane(to, e.bytes[0], row, bin, sum);
            }
        }
    });
}

// ---- functions that its rows name ------------------------------------------------------------

namespace {

// The highest byte has no higher bytes to compare.
TouchedTiles touched_by_histogram(const Instruction& instruction, unsigned operand) {
    const bool unused = operand == 2 && instruction.attributes.byte_select ==
                                            bytes(instruction.tile(1).dtype, 1) - 1;
    return unused ? TouchedTiles{} : TouchedTiles{{instruction.tile(operand)}, 1};
}

}  // namespace

}  // namespace ptosim::semantics

namespace ptosim::rules {

using enum DType;

namespace {

bool check_histogram_bins(const Instruction& instruction, const InstructionInfo& row, Arch,
                          Problem& problem) {
    const Tile& dst = instruction.tile(0);
    const Tile& src = instruction.tile(1);
    const Tile& idx = instruction.tile(2);
    if (dst.dtype != kU32) return wrong_type(problem, row, "T04", 0, dst.dtype, {kU32});
    if (idx.dtype != kU8) return wrong_type(problem, row, "T08", 2, idx.dtype, {kU8});
    const int byte = instruction.attributes.byte_select;
    if (byte * 8 >= static_cast<int>(bits(src.dtype)))
        return fail(problem, "S15", 1,
                    operand_text(row, 1) + " has no byte " + std::to_string(byte));
    const int filters = static_cast<int>(bits(src.dtype) / 8) - 1 - byte;
    const int idx_rows = bits(src.dtype) == 16 ? (filters > 0 ? src.valid_rows : 0) : filters;
    if (idx.valid_rows < idx_rows || (idx_rows > 0 && idx.valid_cols < 1))
        return wrong_valid(problem, row, "S15", 2, idx, shape_text(idx_rows, 1));
    if (dst.valid_cols >= 256 && dst.valid_rows >= src.valid_rows) return true;
    return wrong_valid(problem, row, "S15", 0, dst, shape_text(src.valid_rows, 256));
}

constexpr LegalityRule histogram_bins{
    "histogram_bins", "T04 T08 S15",
    "dst is u32 with 256 bins; idx is u8 and has a row for each higher byte",
    &check_histogram_bins};

}  // namespace

}  // namespace ptosim::rules

namespace ptosim::rows {

namespace {

void histogram_form(const WrittenOperation& op) {
    op.require(!op.has_attribute("byte") || !op.has_attribute("isMSB"), "K09",
               "has 'byte' or the older 'isMSB', not both");
}

}  // namespace

#include "isa/instructions/histogram.def"
}  // namespace ptosim::rows
