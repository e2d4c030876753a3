#include "isa/composite/print_text.h"

#include <array>
#include <charconv>

#include "isa/numeric/convert.h"

namespace ptosim {

namespace {

struct Format {
    int width, digits;
};

constexpr std::array<Format, 3> kFormats{{{8, 4}, {8, 2}, {10, 6}}};

std::string padded(std::string_view text, int width) {
    const auto size = static_cast<int>(text.size());
    return std::string(static_cast<size_t>(size < width ? width - size : 0), ' ') +
           std::string(text);
}

std::string number(DType type, uint64_t raw, const Format& format) {
    char text[512];
    std::to_chars_result end{};
    if (is_integer(type)) {
        const uint64_t wide =
            convert_bits(DType::kI64, type, raw, RoundMode::kTrunc, Saturation::kOff);
        end = is_signed(type) ? std::to_chars(text, text + sizeof text, static_cast<int64_t>(wide))
                              : std::to_chars(text, text + sizeof text, wide);
    } else {
        const auto value = std::bit_cast<float>(static_cast<uint32_t>(
            convert_bits(DType::kF32, type, raw, RoundMode::kRint, Saturation::kOff)));
        if (value != value) return padded("nan", format.width);
        end = std::to_chars(text, text + sizeof text, static_cast<double>(value),
                            std::chars_format::fixed, format.digits);
    }
    return padded({text, static_cast<size_t>(end.ptr - text)}, format.width);
}

uint64_t element(const std::byte* base, DType type, int64_t index) {
    const unsigned size = bits(type);
    if (size == 4) return std::to_integer<unsigned>(base[index / 2] >> (index % 2 * 4)) & 15;
    uint64_t value = 0;
    for (unsigned i = 0; i < size / 8; ++i)
        value |= std::to_integer<uint64_t>(base[index * (size / 8) + i]) << (8 * i);
    return value;
}

std::string tile_text(const Tile& tile, const std::byte* base, const Format& format) {
    std::string text = "tile " + to_text(tile) + "\n";
    for (int row = 0; row < tile.rows; ++row) {
        if (row == tile.valid_rows && row > 0)
            text += std::string(static_cast<size_t>(format.width), '-') + "\n";
        for (int col = 0; col < tile.cols; ++col) {
            const bool edge = col == tile.valid_cols && col > 0;
            text += edge ? "|" : col > 0 ? " " : "";
            text += number(tile.dtype, element(base, tile.dtype, tile.index(row, col)), format);
        }
        text += "\n";
    }
    return text;
}

std::string view_text(const GlobalView& view, const std::byte* base, const Format& format) {
    std::string text = "view " + to_text(view) + "\n";
    for (int64_t row = 0; row < view.matrix_rows(); ++row) {
        for (int64_t col = 0; col < view.matrix_cols(); ++col) {
            if (col > 0) text += " ";
            text +=
                number(view.dtype, element(base, view.dtype, view.matrix_offset(row, col)), format);
        }
        text += "\n";
    }
    return text;
}

}  // namespace

std::string print_text(const Execution& execution) {
    const Format& format = kFormats[execution.instruction.attributes.print_format % 3u];
    const Operand& source = execution.instruction.operands[0];
    return source.is_tile() ? tile_text(source.tile, execution.bytes[0], format)
                            : view_text(source.global, execution.bytes[0], format);
}

}  // namespace ptosim
