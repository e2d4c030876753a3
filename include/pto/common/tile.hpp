// Tile: a typed, laid-out name for bytes of an on-chip memory.
//
// A tile owns nothing; TASSIGN gives it an address. All tiles are described to the simulator by one
// constant record per type, an address and a valid region.
#pragma once

#include "pto/common/global_tensor.hpp"

namespace pto {

namespace detail {

template <TileType LOCATION>
inline constexpr uint8_t abi_space = LOCATION == TileType::Vec          ? PTOSIM_UB
                                     : LOCATION == TileType::Mat        ? PTOSIM_L1
                                     : LOCATION == TileType::Left       ? PTOSIM_L0A
                                     : LOCATION == TileType::Right      ? PTOSIM_L0B
                                     : LOCATION == TileType::Acc        ? PTOSIM_L0C
                                     : LOCATION == TileType::Bias       ? PTOSIM_BIAS
                                     : LOCATION == TileType::Scaling    ? PTOSIM_FIXPIPE
                                     : LOCATION == TileType::ScaleLeft  ? PTOSIM_SCALE_A
                                     : LOCATION == TileType::ScaleRight ? PTOSIM_SCALE_B
                                                                        : PTOSIM_UB;

constexpr void set_pad(ptosim_tile& tile, PadValue pad) {
    tile.pad = isCustomPadValue(pad) ? uint8_t{PTOSIM_PAD_CUSTOM} : static_cast<uint8_t>(pad);
    tile.pad_bits = getCustomPadBits(pad);
}

template <TileType LOCATION, typename T, int ROWS, int COLS, BLayout OUTER, SLayout INNER,
          int FRACTAL, PadValue PAD, CompactMode COMPACT>
constexpr ptosim_tile describe() {
    ptosim_tile tile{};
    tile.space = abi_space<LOCATION>;
    tile.dtype = element_type<T>;
    tile.outer = static_cast<uint8_t>(OUTER);
    tile.inner = static_cast<uint8_t>(INNER);
    tile.fractal = FRACTAL;
    tile.compact = static_cast<uint8_t>(COMPACT);
    tile.rows = ROWS;
    tile.cols = COLS;
    // Rows of int4b_t are as far apart as if each element had a byte.
    if (std::is_same_v<T, int4b_t>) tile.pitch = 2 * (OUTER == BLayout::RowMajor ? COLS : ROWS);
    set_pad(tile, PAD);
    return tile;
}
template <TileType LOCATION, typename T, int ROWS, int COLS, BLayout OUTER, SLayout INNER,
          int FRACTAL, PadValue PAD, CompactMode COMPACT>
inline constexpr ptosim_tile description =
    describe<LOCATION, T, ROWS, COLS, OUTER, INNER, FRACTAL, PAD, COMPACT>();

// Rows (or, with the arguments swapped, columns) of an inner box.
constexpr int box_extent(bool boxed, bool along_row_major, int fractal, int element_bytes) {
    if (!boxed) return 1;
    if (fractal == TileConfig::fractalCSize) return TileConfig::fixedRowSize;
    if (fractal == TileConfig::fractalMxSize) {
        return along_row_major ? TileConfig::fixedMxRowSize : TileConfig::fixedMxColSize;
    }
    return along_row_major ? TileConfig::fixedRowSize : TileConfig::alignedSize / element_bytes;
}

}  // namespace detail

template <TileType Loc_, typename Element_, const int Rows_, const int Cols_,
          const BLayout BFractal_ = BLayout::RowMajor, const int RowValid_ = Rows_,
          const int ColValid_ = Cols_, const SLayout SFractal_ = SLayout::NoneBox,
          const int SFractalSize_ = TileConfig::fractalABSize, auto PadVal_ = PadValue::Null,
          const CompactMode Compact_ = CompactMode::Null>
struct Tile : detail::TileBase {
    using DType = Element_;
    using TileDType = typename MemoryQualifier<Loc_, DType>::type;

    static constexpr TileType Loc = Loc_;
    static constexpr int Rows = Rows_;
    static constexpr int Cols = Cols_;
    static constexpr int Numel = Rows * Cols;
    static constexpr int ValidRow = RowValid_;
    static constexpr int ValidCol = ColValid_;
    static constexpr BLayout BFractal = BFractal_;
    static constexpr SLayout SFractal = SFractal_;
    static constexpr int SFractalSize = SFractalSize_;
    static constexpr auto PadVal = PadVal_;
    static constexpr CompactMode Compact = Compact_;
    static constexpr bool isRowMajor = BFractal_ == BLayout::RowMajor;
    static constexpr int RowStride = isRowMajor ? Cols : 1;
    static constexpr int ColStride = isRowMajor ? 1 : Rows;
    static constexpr bool isBoxedLayout = SFractal != SLayout::NoneBox;
    static constexpr bool isInnerRowMajor = SFractal == SLayout::RowMajor;
    static constexpr bool isInnerColMajor = SFractal == SLayout::ColMajor;
    static constexpr int InnerRows =
        detail::box_extent(isBoxedLayout, isInnerRowMajor, SFractalSize, sizeof(DType));
    static constexpr int InnerCols =
        detail::box_extent(isBoxedLayout, isInnerColMajor, SFractalSize, sizeof(DType));
    static constexpr int InnerNumel = InnerRows * InnerCols;

    static_assert(Rows > 0 && Cols > 0, "PTO: a tile has rows and columns");
    static_assert(ValidRow <= Rows && ValidCol <= Cols,
                  "PTO: the valid region of a tile lies within it");
    static_assert(SFractalSize == TileConfig::fractalABSize ||
                      SFractalSize == TileConfig::fractalCSize ||
                      SFractalSize == TileConfig::fractalMxSize,
                  "PTO: an inner box has 512 bytes, 1024 (accumulators) or 32 (MX scales)");
    static_assert(isBoxedLayout || (isRowMajor ? Cols : Rows) * sizeof(DType) % 32 == 0,
                  "PTO: rows (of DN tiles: columns) are a multiple of 32 bytes");
    static_assert(Cols % InnerCols == 0,
                  "PTO: columns of a boxed tile are a multiple of those of its inner box");
    static_assert(Loc == TileType::Vec || SFractalSize == TileConfig::fractalMxSize || Rows == 1 ||
                      Rows % InnerRows == 0,
                  "PTO: rows of a boxed tile are a multiple of those of its inner box");

    Tile() { init(ValidRow, ValidCol); }
    // The dynamic extents of the valid region.
    template <int R = ValidRow, int C = ValidCol>
    Tile(std::enable_if_t<R == DYNAMIC && C == DYNAMIC, unsigned> rows, unsigned cols) {
        init(rows, cols);
    }
    template <int R = ValidRow, int C = ValidCol>
    Tile(std::enable_if_t<(R == DYNAMIC) != (C == DYNAMIC), unsigned> extent) {  // NOLINT
        init(R == DYNAMIC ? extent : R, C == DYNAMIC ? extent : C);
    }

    // The address, as a pointer of the tile's memory: for arithmetic and for TASSIGN.
    TileDType data() const {
        if constexpr (std::is_pointer_v<TileDType>) {
            return reinterpret_cast<TileDType>(address);
        } else {
            return static_cast<TileDType>(address);
        }
    }

    template <int R = ValidRow>
    static constexpr std::enable_if_t<(R > 0), unsigned> GetValidRow() {
        return R;
    }
    template <int R = ValidRow>
    std::enable_if_t<(R <= 0), unsigned> GetValidRow() const {
        return RowMaskInternal;
    }
    template <int C = ValidCol>
    static constexpr std::enable_if_t<(C > 0), unsigned> GetValidCol() {
        return C;
    }
    template <int C = ValidCol>
    std::enable_if_t<(C <= 0), unsigned> GetValidCol() const {
        return ColMaskInternal;
    }
    void SetValidRow(unsigned rows) {
        static_assert(ValidRow == DYNAMIC, "PTO: SetValidRow of a static valid region");
        RowMaskInternal = rows;
    }
    void SetValidCol(unsigned cols) {
        static_assert(ValidCol == DYNAMIC, "PTO: SetValidCol of a static valid region");
        ColMaskInternal = cols;
    }
    void SetValidShape(unsigned rows, unsigned cols) {
        SetValidRow(rows);
        SetValidCol(cols);
    }

    // Element `offset` from the tile's address, by the scalar unit.
    DType GetValue(uint32_t offset, ptosim_location where = detail::here()) const {
        static_assert(Loc == TileType::Vec, "PTO: GetValue reads tiles of UB");
        const ptosim_tile tile = record(*this);
        const uint64_t bits = ptosim_load_local(&tile, offset, where);
        DType value;
        __builtin_memcpy(&value, &bits, sizeof(DType));
        return value;
    }
    void SetValue(uint32_t offset, DType value, ptosim_location where = detail::here()) {
        static_assert(Loc == TileType::Vec, "PTO: SetValue writes tiles of UB");
        const ptosim_tile tile = record(*this);
        ptosim_store_local(&tile, offset, detail::to_bits(value), where);
    }

    // Whether K of an f32 product is aligned (a2a3): how L0A and L0B are packed, which changes
    // nothing that can be seen.
    bool GetKAligned() const { return false; }
    void SetKAligned(bool) {}
    void SetMadTF32Mode(RoundMode mode = RoundMode::CAST_ROUND);
    void ResetMadMode();

 private:
    void init(unsigned rows, unsigned cols) {
        description =
            &detail::description<Loc, std::remove_cv_t<DType>, Rows, Cols, BFractal, SFractal,
                                 SFractalSize, static_cast<PadValue>(PadVal), Compact>;
        RowMaskInternal = rows;
        ColMaskInternal = cols;
    }
};

// ---- the tiles of a matrix product -----------------------------------------------------------
namespace detail {
#ifdef PTO_NPU_ARCH_A2A3
inline constexpr BLayout kLeftOuter = BLayout::RowMajor;
#else
inline constexpr BLayout kLeftOuter = BLayout::ColMajor;
#endif
}  // namespace detail

#define PTO_DETAIL_MATRIX_TILE(NAME, LOCATION, OUTER, INNER, FRACTAL)                        \
    template <typename T, const int ROWS, const int COLS, const int ROW_VALID = ROWS,        \
              const int COL_VALID = COLS>                                                    \
    using NAME = Tile<TileType::LOCATION, T, ROWS, COLS, OUTER, ROW_VALID, COL_VALID,        \
                      SLayout::INNER, TileConfig::FRACTAL>;                                  \
    template <typename T, const int ROWS, const int COLS, const int ROW_VALID = ROWS,        \
              const int COL_VALID = COLS>                                                    \
    using NAME##Compact =                                                                    \
        Tile<TileType::LOCATION, T, ROWS, COLS, OUTER, ROW_VALID, COL_VALID, SLayout::INNER, \
             TileConfig::FRACTAL, PadValue::Null, CompactMode::Normal>
PTO_DETAIL_MATRIX_TILE(TileLeft, Left, detail::kLeftOuter, RowMajor, fractalABSize);
PTO_DETAIL_MATRIX_TILE(TileRight, Right, BLayout::RowMajor, ColMajor, fractalABSize);
PTO_DETAIL_MATRIX_TILE(TileAcc, Acc, BLayout::ColMajor, RowMajor, fractalCSize);
PTO_DETAIL_MATRIX_TILE(TileLeftScale, ScaleLeft, BLayout::RowMajor, RowMajor, fractalMxSize);
PTO_DETAIL_MATRIX_TILE(TileRightScale, ScaleRight, BLayout::ColMajor, ColMajor, fractalMxSize);
#undef PTO_DETAIL_MATRIX_TILE

// ---- what a type is --------------------------------------------------------------------------
template <typename T>
struct is_tile : std::false_type {
    static constexpr SLayout layout_enum = SLayout::NoneBox;
};
template <TileType L, typename E, const int R, const int C, const BLayout B, const int RV,
          const int CV, const SLayout S, const int F, auto P, const CompactMode M>
struct is_tile<Tile<L, E, R, C, B, RV, CV, S, F, P, M>> : std::true_type {
    static constexpr SLayout layout_enum = S;
};
template <typename T>
constexpr bool is_tile_data_v = is_tile<T>::value;
template <typename T>
constexpr bool is_boxed_tile = is_tile<T>::layout_enum != SLayout::NoneBox;
template <typename T>
constexpr bool is_boxed_data_v = is_boxed_tile<T>;

template <typename T>
struct is_Nz_layout {
    static constexpr bool value = !T::isRowMajor && T::isInnerRowMajor;
};
template <typename T>
struct is_Zn_layout {
    static constexpr bool value = T::isRowMajor && T::isInnerColMajor;
};
template <typename T>
struct is_Zz_layout {
    static constexpr bool value = T::isRowMajor && T::isInnerRowMajor;
};

// Where element (row, col) of a tile is, in elements from its address.
template <typename T>
constexpr size_t GetTileOffset(int row, int col) {
    if (!T::isBoxedLayout) return static_cast<size_t>(row) * T::RowStride + col * T::ColStride;
    const int box = T::isRowMajor
                        ? row / T::InnerRows * (T::Cols / T::InnerCols) + col / T::InnerCols
                        : col / T::InnerCols * (T::Rows / T::InnerRows) + row / T::InnerRows;
    const int inner_row = row % T::InnerRows;
    const int inner_col = col % T::InnerCols;
    const int within = T::isInnerRowMajor ? inner_row * T::InnerCols + inner_col
                                          : inner_col * T::InnerRows + inner_row;
    return static_cast<size_t>(box) * T::InnerNumel + within;
}

}  // namespace pto
