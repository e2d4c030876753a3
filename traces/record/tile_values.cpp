#include "traces/record/tile_values.h"

#include <charconv>
#include <cmath>
#include <cstring>

#include "isa/numeric/formats.h"

namespace ptosim {

namespace {

double decoded(DType type, uint64_t pattern) {
    if (!is_integer(type)) return decode(type, pattern);
    const unsigned shift = 64 - bits(type);
    if (is_signed(type))
        return static_cast<double>(static_cast<int64_t>(pattern << shift) >> shift);
    return static_cast<double>(pattern);
}

}  // namespace

uint64_t TileValues::bits_at(uint32_t row, uint32_t column) const {
    const size_t size = kept_bytes(dtype);
    const size_t at = (size_t{row} * columns + column) * size;
    uint64_t pattern = 0;
    for (size_t i = 0; i < size && at + i < bytes.size(); ++i)
        pattern |= uint64_t{static_cast<uint8_t>(bytes[at + i])} << (8 * i);
    return pattern;
}

double TileValues::value_at(uint32_t row, uint32_t column) const {
    return decoded(dtype, bits_at(row, column));
}

std::string TileValues::text_at(uint32_t row, uint32_t column) const {
    const double value = value_at(row, column);
    if (std::isnan(value)) return "nan";
    char text[64];
    const int digits = is_integer(dtype) ? 20 : bits(dtype) > 16 ? 9 : 5;
    const std::to_chars_result end =
        std::to_chars(text, text + sizeof text, value, std::chars_format::general, digits);
    return {text, end.ptr};
}

TileValues values_of(const Tile& tile, const std::byte* base) {
    TileValues values;
    values.dtype = tile.dtype;
    values.rows = static_cast<uint32_t>(tile.valid_rows > 0 ? tile.valid_rows : 0);
    values.columns = static_cast<uint32_t>(tile.valid_cols > 0 ? tile.valid_cols : 0);
    const size_t size = kept_bytes(tile.dtype);
    values.bytes.resize(size_t{values.rows} * values.columns * size);
    char* to = values.bytes.data();
    for (int32_t row = 0; row < tile.valid_rows; ++row)
        for (int32_t column = 0; column < tile.valid_cols; ++column, to += size) {
            const auto index = static_cast<size_t>(tile.index(row, column));
            if (bits(tile.dtype) < 8)
                *to = static_cast<char>(static_cast<uint8_t>(base[index / 2] >> (index % 2 * 4)) &
                                        15u);
            else
                std::memcpy(to, base + index * size, size);
        }
    return values;
}

TileFacts facts_of(const TileValues& values) {
    TileFacts facts;
    bool any = false;
    for (uint32_t row = 0; row < values.rows; ++row)
        for (uint32_t column = 0; column < values.columns; ++column) {
            const double value = values.value_at(row, column);
            facts.nans += std::isnan(value);
            facts.infinities += std::isinf(value);
            if (!std::isfinite(value)) continue;
            facts.least = any ? std::min(facts.least, value) : value;
            facts.most = any ? std::max(facts.most, value) : value;
            any = true;
        }
    return facts;
}

}  // namespace ptosim
