// Quantisation in UB, and histograms.
#include "isa/semantics/arithmetic.h"

namespace ptosim::semantics {

namespace {

// A parameter tile has one value per row; further columns are used where it has them.
float parameter(const Tile& tile, const std::byte* base, int row, int col) {
    return read_lane<float>(tile, base, std::min(row, tile.valid_rows - 1),
                            std::min(col, tile.valid_cols - 1));
}

bool given(const Execution& e, unsigned i) {
    return i < e.instruction.operand_count && e.instruction.operands[i].is_tile();
}

}  // namespace

// Operands (dst, src, fp, [offset], [tmp]). dst = src * scale (+ offset), each step in f32, then to
// the nearest integer and into the range of dst
// (hw-native-sys/pto-isa docs/isa/TQUANT.md, INT8_SYM and INT8_ASYM).
void TQUANT(const Execution& e) {
    const Tile& to = e.tile(0);
    const Tile& from = e.tile(1);
    for (int row = 0; row < to.valid_rows; ++row)
        for (int col = 0; col < to.valid_cols; ++col) {
            float value = mul(read_lane<float>(from, e.bytes[1], row, col),
                              parameter(e.tile(2), e.bytes[2], row, 0));
            if (given(e, 3)) value = add(value, parameter(e.tile(3), e.bytes[3], row, 0));
            const uint64_t raw = convert_bits(to.dtype, DType::kF32, std::bit_cast<uint32_t>(value),
                                              RoundMode::kRint, Saturation::kOn);
            write_lane(to, e.bytes[0], row, col, static_cast<uint8_t>(raw));
        }
}

// dst = (src - offset) * scale in f32.
void TDEQUANT(const Execution& e) {
    const Tile& to = e.tile(0);
    visit_integer(e.tile(1).dtype, [&](auto type) {
        using T = decltype(type);
        for (int row = 0; row < to.valid_rows; ++row)
            for (int col = 0; col < to.valid_cols; ++col) {
                const auto value =
                    static_cast<float>(read_lane<T>(e.tile(1), e.bytes[1], row, col));
                const float offset = parameter(e.tile(3), e.bytes[3], row, col);
                const float scale = parameter(e.tile(2), e.bytes[2], row, col);
                write_lane(to, e.bytes[0], row, col, mul(sub(value, offset), scale));
            }
    });
}

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

}  // namespace ptosim::semantics
