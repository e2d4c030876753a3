#include "isa/semantics/matmul_operands.h"

#include <algorithm>
#include <cstring>

#include "isa/numeric/formats.h"
#include "isa/numeric/half_lanes.h"
#include "isa/numeric/wide.h"
#include "isa/semantics/lanes.h"
#include "isa/semantics/matmul_kernel.h"
#include "isa/semantics/transpose_blocks.h"

namespace ptosim::semantics {

namespace {

// A part of a tile that is one run of memory: lines of equal length, each a part of a row or of a
// column. Longer lines than a box's are taken in parts.
constexpr int kLongest = 64;
constexpr int kMostLines = 16;

struct Box {
    int row, col;    // of its first element
    int rows, cols;  // that count
    int line;        // elements from line to line
    bool by_rows;    // a line is part of a row
    int64_t index;   // of its first element in the tile
    int elements() const { return by_rows ? (rows - 1) * line + cols : (cols - 1) * line + rows; }
};

template <typename F>
void for_boxes(const Tile& tile, int rows, int cols, F&& f) {
    const bool by_rows =
        tile.boxed() ? tile.inner == InnerLayout::kRowMajor : tile.outer == OuterLayout::kRowMajor;
    const int box_rows = tile.boxed() ? tile.box_rows() : by_rows ? 1 : kLongest;
    const int box_cols = tile.boxed() ? tile.box_cols() : by_rows ? kLongest : 1;
    const int line = by_rows ? box_cols : box_rows;
    // An index is a part of the row and one of the column.
    const int64_t step = cols > box_cols ? tile.index(0, box_cols) - tile.index(0, 0) : 0;
    for (int row = 0; row < rows; row += box_rows) {
        const int64_t index = tile.index(row, 0);
        for (int col = 0, i = 0; col < cols; col += box_cols, ++i)
            f(Box{row, col, std::min(box_rows, rows - row), std::min(box_cols, cols - col), line,
                  by_rows, index + i * step});
    }
}

// ---- floats of a run of elements

void widen_bfloat16(const std::byte* from, int count, float* to) {
    widest([=] {
        for (int i = 0; i < count; ++i)
            to[i] = std::bit_cast<float>(uint32_t{load<uint16_t>(from + 2 * i)} << 16);
    });
}

void widen_table(const float* table, const std::byte* from, int count, float* to) {
    for (int i = 0; i < count; ++i) to[i] = table[std::to_integer<unsigned>(from[i])];
}

// For formats with subnormals and at most one infinity, as in decode_table().
template <DType kType>
float value_of(uint8_t code) {
    constexpr const FloatFormat& kFormat = kFloatFormats[static_cast<size_t>(kType)];
    constexpr int kFraction = kFormat.fraction_bits, kBits = static_cast<int>(bits(kType));
    constexpr float kUnit = std::bit_cast<float>((127 + kFormat.min_exponent - kFraction) << 23);
    const int magnitude = code & ((1 << (kBits - 1)) - 1);
    const int normal = (magnitude << (23 - kFraction)) + ((126 + kFormat.min_exponent) << 23);
    const int subnormal = std::bit_cast<int>(static_cast<float>(magnitude) * kUnit);
    int result = magnitude < 1 << kFraction ? subnormal : normal;
    if constexpr (kFormat.has_infinity) result = magnitude >= static_cast<int>(kFormat.infinity) ? 0x7F800000 : result;
    constexpr auto kLast = static_cast<int>(kFormat.has_infinity ? kFormat.infinity : kFormat.largest);
    if constexpr (kFormat.has_nan) result = magnitude > kLast ? 0x7FC00000 : result;
    return std::bit_cast<float>(static_cast<uint32_t>(result) | static_cast<uint32_t>(code >> (kBits - 1)) << 31);
}

template <DType kType>
void widen_codes(const float*, const std::byte* from, int count, float* to) {
    widest([=] {
        for (int i = 0; i < count; ++i) to[i] = value_of<kType>(load<uint8_t>(from + i));
    });
}

// Two to a byte; boxes start at whole bytes.
template <DType kType>
void widen_packed(const float*, const std::byte* from, int count, float* to) {
    std::byte codes[kLongest * kMostLines];
    widest([=, code = &codes[0]] {
        for (int i = 0; i < (count + 1) / 2; ++i) {
            code[2 * i] = from[i] & std::byte{15};
            code[2 * i + 1] = from[i] >> 4;
        }
    });
    widen_codes<kType>(nullptr, codes, count, to);
}

// Boxes start at whole bytes.
void widen_nibbles(const float* table, const std::byte* from, int count, float* to) {
    for (int i = 0; i < count; ++i)
        to[i] = table[std::to_integer<unsigned>(from[i / 2] >> (i % 2 * 4)) & 15];
}

constexpr float kIntegerNibbles[16] = {0, 1, 2, 3, 4, 5, 6, 7, -8, -7, -6, -5, -4, -3, -2, -1};

using Widen = void (*)(const float* table, const std::byte* from, int count, float* to);

struct Source {
    Widen widen;
    const float* table = nullptr;
};

Source source_of(DType type) {
    switch (type) {
        case DType::kF32:
            return {[](const float*, const std::byte* from, int count, float* to) {
                std::memcpy(to, from, sizeof(float) * static_cast<size_t>(count));
            }};
        case DType::kF16:
            return {[](const float*, const std::byte* from, int count, float* to) {
                ptosim::widen(reinterpret_cast<const Half*>(from), to, count);
            }};
        case DType::kBF16:
            return {[](const float*, const std::byte* from, int count, float* to) {
                widen_bfloat16(from, count, to);
            }};
        case DType::kI8:
            return {[](const float*, const std::byte* from, int count, float* to) {
                widest([=] {
                    for (int i = 0; i < count; ++i) to[i] = load<int8_t>(from + i);
                });
            }};
        case DType::kI4:
            return {widen_nibbles, kIntegerNibbles};
        case DType::kE4M3:
            return {widen_codes<DType::kE4M3>};
        case DType::kE5M2:
            return {widen_codes<DType::kE5M2>};
        case DType::kE2M1:
            return {widen_packed<DType::kE2M1>};
        case DType::kE1M2:
            return {widen_packed<DType::kE1M2>};
        default:
            if (bits(type) == 8 && !is_integer(type)) return {widen_table, decode_table(type)};
            fail_type(type);
    }
}

// ---- lines to rows

template <int kCount>
void copy_lines(const float* from, int64_t from_pitch, float* to, int64_t to_pitch, int lines) {
    widest([=] {
        for (int i = 0; i < lines; ++i)
            std::memcpy(to + i * to_pitch, from + i * from_pitch, kCount * sizeof(float));
    });
}

void copy_lines(const float* from, int64_t from_pitch, float* to, int64_t to_pitch, int lines,
                int count) {
    switch (count) {
        case 8:
            return copy_lines<8>(from, from_pitch, to, to_pitch, lines);
        case 16:
            return copy_lines<16>(from, from_pitch, to, to_pitch, lines);
        case 32:
            return copy_lines<32>(from, from_pitch, to, to_pitch, lines);
        case 64:
            return copy_lines<64>(from, from_pitch, to, to_pitch, lines);
        default:
            for (int i = 0; i < lines; ++i)
                std::memcpy(to + i * to_pitch, from + i * from_pitch,
                            static_cast<size_t>(count) * sizeof(float));
    }
}

typedef float Four __attribute__((vector_size(16)));

Four load_four(const float* from) {
    Four value;
    std::memcpy(&value, from, sizeof value);
    return value;
}

// Four columns of four elements each become four rows.
void turn_four(const float* from, int64_t column, float* to, int64_t row) {
    const Four a = load_four(from), b = load_four(from + column);
    const Four c = load_four(from + 2 * column), d = load_four(from + 3 * column);
    const Four ab_low = __builtin_shufflevector(a, b, 0, 4, 1, 5);
    const Four ab_high = __builtin_shufflevector(a, b, 2, 6, 3, 7);
    const Four cd_low = __builtin_shufflevector(c, d, 0, 4, 1, 5);
    const Four cd_high = __builtin_shufflevector(c, d, 2, 6, 3, 7);
    const Four rows[4] = {__builtin_shufflevector(ab_low, cd_low, 0, 1, 4, 5),
                          __builtin_shufflevector(ab_low, cd_low, 2, 3, 6, 7),
                          __builtin_shufflevector(ab_high, cd_high, 0, 1, 4, 5),
                          __builtin_shufflevector(ab_high, cd_high, 2, 3, 6, 7)};
    for (int i = 0; i < 4; ++i) std::memcpy(to + i * row, &rows[i], sizeof(Four));
}

void transpose_lines(const float* from, int64_t column, float* to, int64_t row, int rows, int cols) {
    const int whole_rows = rows / 4 * 4, whole_cols = cols / 4 * 4;
    for (int j = 0; j < whole_cols; j += 4)
        for (int i = 0; i < whole_rows; i += 4)
            turn_four(from + j * column + i, column, to + i * row + j, row);
    for (int i = 0; i < rows; ++i)
        for (int j = i < whole_rows ? whole_cols : 0; j < cols; ++j)
            to[i * row + j] = from[j * column + i];
}

// A box of columns of 16-bit elements is turned before it is widened: there is half as much of it.
constexpr int kSquare = kTransposeSquare;
static_assert(kSquare == kHalfLine);

bool is_turned_square(const Box& box) {
    return !box.by_rows && box.rows == kSquare && box.cols == kSquare && box.line == kSquare;
}

void put(const Box& box, const float* floats, float* to, int64_t pitch) {
    if (box.by_rows)
        copy_lines(floats, box.line, to, pitch, box.rows, box.cols);
    else
        transpose_lines(floats, box.line, to, pitch, box.rows, box.cols);
}

struct RowTarget {
    float* first;
    int64_t pitch;  // from row to row
};

// Puts the floats of each box at where(box).
template <typename Where>
void widen_boxes(const Tile& tile, const std::byte* base, int rows, int cols, Where&& where) {
    const Source source = source_of(tile.dtype);
    const auto width = static_cast<int64_t>(bits(tile.dtype));
    alignas(64) float floats[kLongest * kMostLines];
    alignas(64) std::byte turned[2 * kSquare * kSquare];
    for_boxes(tile, rows, cols, [&](Box box) {
        const std::byte* from = base + box.index * width / 8;
        const RowTarget at = where(box);
        if (width == 16 && is_turned_square(box)) {
            constexpr int64_t kLine = 2 * kSquare;  // bytes
            if (tile.dtype == DType::kF16)
                return transpose_and_widen_square(from, kLine, at.first, at.pitch);
            transpose_square(from, kLine, turned, kLine);
            from = turned;
            box.by_rows = true;
        }
        if (tile.dtype == DType::kF16 && box.by_rows && box.cols == kSquare) {
            widen_lines(reinterpret_cast<const Half*>(from), box.line, at.first, at.pitch,
                        box.rows);
            return;
        }
        source.widen(source.table, from, box.elements(), floats);
        put(box, floats, at.first, at.pitch);
    });
}

// The columns that fill up the last vector of each row.
void clear_spare_columns(int rows, int cols, float* out) {
    const int spare = whole_vectors(cols) - cols;
    if (spare == 0) return;
    for (int row = 0; row < rows; ++row) {
        float* const end = out + panel_index(row, cols - 1, rows, cols) + 1;
        std::fill(end, end + spare, 0.0F);
    }
}

}  // namespace

void unpack_rows(const Tile& tile, const std::byte* base, int rows, int cols, float* out,
                 int64_t pitch) {
    widen_boxes(tile, base, rows, cols, [&](const Box& box) {
        return RowTarget{out + box.row * pitch + box.col, pitch};
    });
}

void unpack_panels(const Tile& tile, const std::byte* base, int rows, int cols, int group,
                   float* out) {
    const auto matrix = [&](int row) {  // that holds the row
        return out + int64_t{row / group * group} * whole_vectors(cols);
    };
    for (int row = 0; row < rows; row += group)
        clear_spare_columns(std::min(group, rows - row), cols, matrix(row));
    if (group >= rows) {
        widen_boxes(tile, base, rows, cols, [&](const Box& box) {
            return RowTarget{out + panel_index(box.row, box.col, rows, cols),
                             panel_width(box.col / kPanelColumns * kPanelColumns, cols)};
        });
        return;
    }
    widen_boxes(tile, base, rows, cols, [&](const Box& box) {
        const int first = box.row / group * group;
        const int depth = std::min(group, rows - first);
        return RowTarget{matrix(box.row) + panel_index(box.row - first, box.col, depth, cols),
                         panel_width(box.col / kPanelColumns * kPanelColumns, cols)};
    });
}

void read_words(const Tile& tile, const std::byte* base, int rows, int cols, std::byte* out,
                int64_t pitch) {
    for_boxes(tile, rows, cols, [&](const Box& box) {
        const auto* from = reinterpret_cast<const float*>(base) + box.index;
        put(box, from, reinterpret_cast<float*>(out) + box.row * pitch + box.col, pitch);
    });
}

void write_words(const Tile& tile, std::byte* base, int rows, int cols, const std::byte* in,
                 int64_t pitch) {
    for_boxes(tile, rows, cols, [&](const Box& box) {
        auto* to = reinterpret_cast<float*>(base) + box.index;
        const auto* from = reinterpret_cast<const float*>(in) + box.row * pitch + box.col;
        if (box.by_rows)
            copy_lines(from, pitch, to, box.line, box.rows, box.cols);
        else
            transpose_lines(from, pitch, to, box.line, box.cols, box.rows);
    });
}

}  // namespace ptosim::semantics
