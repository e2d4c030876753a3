// The types of `.pto` text.
#pragma once

#include <array>
#include <cstdint>
#include <memory_resource>
#include <optional>
#include <string>
#include <string_view>

#include "isa/core/tile.h"
#include "isa/numeric/dtype.h"

namespace ptosim::assembly {

enum class TypeKind : uint8_t {
    kOpaque,         // accepted as text: memref, vector, !pto.pipe, ...
    kIndex,          // 64 bits here (hw-native-sys/PTOAS since v0.48)
    kInteger,        // i1, i8..i64, ui8.., si8..
    kFloat,          // f16, bf16, f32, f8E4M3FN, !pto.hif8, ...
    kPointer,        // !pto.ptr<T[, space]>
    kTensorView,     // !pto.tensor_view<?x?xT>
    kPartitionView,  // !pto.partition_tensor_view<16x256xT>
    kTile,           // !pto.tile_buf<...>
    kMultiTile,      // !pto.multi_tile_buf<tile, count=N>
    kLocalArray,     // !pto.local_array<64xi32>
    kEventArray,     // !pto.eventid_array<4>
    kRegister,       // !pto.vreg<64xf32>
    kPredicate,      // !pto.mask<b32>
    kStoreState,     // !pto.align
};

inline constexpr int64_t kDynamic = -1;  // a `?`

// A type by value; of the fields below `text`, only the fields of its kind are meaningful.
struct Type {
    static constexpr unsigned kMaxRank = 6;

    TypeKind kind = TypeKind::kOpaque;
    std::string_view text;  // as written

    // The type itself if it is a scalar, its elements otherwise. Types that no tile or tensor has
    // (i1, index, f64) have a width but no dtype.
    std::optional<DType> dtype;
    uint8_t width = 0;  // bits; 64 for index; 0 if unknown

    // kPointer: on-chip space if not in global memory.
    std::optional<Space> space;

    // Views, local arrays, registers: dimensions, kDynamic for '?'.
    uint8_t rank = 0;
    std::array<int64_t, kMaxRank> dims{};

    // kTile, kMultiTile (of one slot). Defaults follow the compact spelling.
    Tile tile;  // valid_rows and valid_cols are kDynamic for '?'
    // kMultiTile: slots; kEventArray: entries.
    uint32_t count = 0;

    bool is_scalar() const {
        return kind == TypeKind::kIndex || kind == TypeKind::kInteger || kind == TypeKind::kFloat;
    }
    bool is_view() const {
        return kind == TypeKind::kTensorView || kind == TypeKind::kPartitionView;
    }
    bool is_tile() const { return kind == TypeKind::kTile || kind == TypeKind::kMultiTile; }
};

// Problem of a type, and its place in the text.
struct TypeProblem {
    size_t offset = 0;
    std::string message;
    std::string hint;
};

// Parses the full text of one type, including its parameters: "f32", "!pto.ptr<f32, gm>",
// "<loc=vec, ...>" (the short form without "!pto.tile_buf"). The result refers to `text`.
// Returns nothing and fills `problem` if a type that is known is malformed; unknown types are
// opaque.
std::optional<Type> parse_type(std::string_view text, TypeProblem& problem);

// True if the type of a view gives all of its dimensions.
bool is_fixed(const Type& type);
// True if at most one of them is not 1.
bool is_flat(const Type& type);

}  // namespace ptosim::assembly
