// What the assembler requires of conversions (isa/assembler_rules.h).
#include "isa/instructions/assembler_rules.h"

namespace ptosim::rows {

void convert_form(const WrittenOperation& op) {
    const Tile *src = op.tile("src"), *dst = op.tile("dst");
    if (src == nullptr || dst == nullptr) return;
    const auto small_float = [](const Tile& tile) {
        return bits(tile.dtype) <= 8 && !is_integer(tile.dtype);
    };
    op.require(op.for_a5() || (!small_float(*src) && !small_float(*dst)), "T03",
               "has no floats of 8 and 4 bits on a2a3");
    // A pair of 4-bit numbers is one element.
    const int64_t from = src->valid_cols * (bits(src->dtype) == 4 ? 2 : 1);
    const int64_t to = dst->valid_cols * (bits(dst->dtype) == 4 ? 2 : 1);
    op.require(!op.is_static("src") || !op.is_static("dst") || from == to, "S04",
               "turns " + std::to_string(from) + " columns into " + std::to_string(to));
}

// Conversions to narrower integers without saturation.
const AssemblerScratch kConvertScratch{.made = [](const Instruction& i) -> std::optional<Tile> {
    const Tile &dst = i.tile(0), &src = i.tile(1);
    const DType from = src.dtype, to = dst.dtype;
    const bool narrows = (from == DType::kF32 && to == DType::kI16) ||
                         (from == DType::kF16 && is_integer(to) && bits(to) <= 16);
    const Attributes& modes = i.attributes;
    if (!narrows || !modes.saturation_given || modes.saturation != Saturation::kOff)
        return std::nullopt;
    const int64_t rows = rows_of(dst), cols = cols_of(dst);
    int64_t bytes = 0;
    if (rows > 0 && cols > 0 && from == DType::kF32) {
        const int64_t head = 256 * std::min<int64_t>(cols / 64, 255), rest = cols % 64;
        const int64_t tail =
            rest == 0
                ? 0
                : 32 * ((std::min<int64_t>(rows, 255) - 1) * (src.cols / 8) + ceil_div(rest, 8));
        bytes = std::max(head, tail);
    } else if (cols > 0) {
        const int64_t width = std::min<int64_t>(cols, 64), to_i16 = 32 * ceil_div(width, 8);
        bytes = bits(to) == 8 ? std::max(to_i16, 128 + 32 * ceil_div(width, 16)) : to_i16;
    }
    return full_scratch_tile(1, std::max<int64_t>(32, round_up(bytes, 32)), DType::kI8);
}};

}  // namespace ptosim::rows
