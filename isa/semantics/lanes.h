// Reading and writing the lanes of tiles as typed values, a chunk at a time.
//
// Semantics never touch tile bytes directly: they read lanes into local arrays, compute, and write
// lanes back. Local arrays are aligned and alias nothing, so that the loops between are vectorised
// whatever the tiles' addresses are, and a destination may be its own source.
#pragma once

#include <algorithm>
#include <cstring>
#include <type_traits>

#include "isa/core/execution.h"
#include "isa/numeric/convert.h"
#include "isa/numeric/numeric.h"

namespace ptosim::semantics {

inline constexpr int kChunk = 256;  // lanes handled at a time

template <typename T>
T load(const std::byte* bytes) {
    T value;
    std::memcpy(&value, bytes, sizeof(T));
    return value;
}

template <typename T>
void store(std::byte* bytes, T value) {
    std::memcpy(bytes, &value, sizeof(T));
}

inline bool contiguous_rows(const Tile& tile) {
    return !tile.boxed() && tile.outer == OuterLayout::kRowMajor;
}

// Element (row, col) of a tile whose bytes are at `base`.
template <typename T>
T read_lane(const Tile& tile, const std::byte* base, int row, int col) {
    return load<T>(base + tile.index(row, col) * static_cast<int64_t>(sizeof(T)));
}

template <typename T>
void write_lane(const Tile& tile, std::byte* base, int row, int col, T value) {
    store(base + tile.index(row, col) * static_cast<int64_t>(sizeof(T)), value);
}

// `count` lanes of a row from column `col` on.
template <typename T>
void read_lanes(const Tile& tile, const std::byte* base, int row, int col, int count, T* lanes) {
    if (contiguous_rows(tile)) {
        std::memcpy(lanes, base + tile.index(row, col) * static_cast<int64_t>(sizeof(T)),
                    static_cast<size_t>(count) * sizeof(T));
        return;
    }
    for (int i = 0; i < count; ++i) lanes[i] = read_lane<T>(tile, base, row, col + i);
}

template <typename T>
void write_lanes(const Tile& tile, std::byte* base, int row, int col, int count, const T* lanes) {
    if (contiguous_rows(tile)) {
        std::memcpy(base + tile.index(row, col) * static_cast<int64_t>(sizeof(T)), lanes,
                    static_cast<size_t>(count) * sizeof(T));
        return;
    }
    for (int i = 0; i < count; ++i) write_lane<T>(tile, base, row, col + i, lanes[i]);
}

// Legality should have refused this type; an instruction that silently did nothing would be worse.
[[noreturn]] void fail_type(DType type);

// Calls f with a value of the C++ type that holds one element of `type`: float, Half, BFloat16 or
// an integer type. Legality has made sure that `type` is one of them.
template <typename F>
void visit_arithmetic(DType type, F&& f) {
    switch (type) {
        case DType::kF32:
            return f(float{});
        case DType::kF16:
            return f(Half{});
        case DType::kBF16:
            return f(BFloat16{});
        case DType::kI8:
            return f(int8_t{});
        case DType::kU8:
            return f(uint8_t{});
        case DType::kI16:
            return f(int16_t{});
        case DType::kU16:
            return f(uint16_t{});
        case DType::kI32:
            return f(int32_t{});
        case DType::kU32:
            return f(uint32_t{});
        case DType::kI64:
            return f(int64_t{});
        case DType::kU64:
            return f(uint64_t{});
        default:
            fail_type(type);
    }
}

template <typename F>
void visit_float(DType type, F&& f) {
    switch (type) {
        case DType::kF32:
            return f(float{});
        case DType::kF16:
            return f(Half{});
        case DType::kBF16:
            return f(BFloat16{});
        default:
            fail_type(type);
    }
}

template <typename F>
void visit_integer(DType type, F&& f) {
    visit_arithmetic(type, [&](auto value) {
        if constexpr (std::is_integral_v<decltype(value)>)
            f(value);
        else
            fail_type(type);
    });
}

// Calls f with an unsigned value of the size of one element, for instructions that only move bits.
template <typename F>
void visit_bits(DType type, F&& f) {
    switch (bits(type)) {
        case 8:
            return f(uint8_t{});
        case 16:
            return f(uint16_t{});
        case 32:
            return f(uint32_t{});
        case 64:
            return f(uint64_t{});
        default:
            fail_type(type);
    }
}

template <typename T>
inline constexpr bool is_float_v =
    std::is_same_v<T, float> || std::is_same_v<T, Half> || std::is_same_v<T, BFloat16>;

template <typename T>
constexpr DType dtype_of() {
    if constexpr (std::is_same_v<T, float>) return DType::kF32;
    if constexpr (std::is_same_v<T, Half>) return DType::kF16;
    if constexpr (std::is_same_v<T, BFloat16>) return DType::kBF16;
    if constexpr (std::is_same_v<T, int8_t>) return DType::kI8;
    if constexpr (std::is_same_v<T, uint8_t>) return DType::kU8;
    if constexpr (std::is_same_v<T, int16_t>) return DType::kI16;
    if constexpr (std::is_same_v<T, uint16_t>) return DType::kU16;
    if constexpr (std::is_same_v<T, int32_t>) return DType::kI32;
    if constexpr (std::is_same_v<T, uint32_t>) return DType::kU32;
    if constexpr (std::is_same_v<T, int64_t>) return DType::kI64;
    if constexpr (std::is_same_v<T, uint64_t>) return DType::kU64;
}

// A scalar operand as an element, converted as C++ converts an argument to the tile's element
// type: floats round to nearest even, integers keep their low bits. A float becomes an integer
// without its fraction; beyond the integer's range, which C++ leaves open, the nearest one.
template <typename T>
T scalar_as(const Scalar& scalar) {
    constexpr DType kTo = dtype_of<T>();
    if (scalar.dtype == kTo) return from_bits<kTo>(scalar.bits);
    const bool drops = is_integer(kTo) && !is_integer(scalar.dtype);
    return from_bits<kTo>(convert_bits(kTo, scalar.dtype, scalar.bits,
                                       drops ? RoundMode::kTrunc : RoundMode::kRint,
                                       drops ? Saturation::kOn : Saturation::kOff));
}

// An integer scalar operand (an index, a count), sign-extended from its type.
inline int64_t integer_of(const Scalar& scalar) {
    return static_cast<int64_t>(
        convert_bits(DType::kI64, scalar.dtype, scalar.bits, RoundMode::kTrunc, Saturation::kOff));
}

// True if the valid region of each tile is one run of bytes, so that it can be handled as one row.
template <typename... Tiles>
bool dense(const Tiles&... tiles) {
    return ((contiguous_rows(tiles) && tiles.pitch == tiles.valid_cols) && ...);
}

// Calls f(row, col, count) for chunks that cover rows x cols; as a single row if `flat`.
template <typename F>
void for_chunks(int rows, int cols, bool flat, F&& f) {
    if (flat) {
        cols *= rows;
        rows = std::min(rows, 1);
    }
    for (int row = 0; row < rows; ++row)
        for (int col = 0; col < cols; col += kChunk) f(row, col, std::min(kChunk, cols - col));
}

}  // namespace ptosim::semantics
