// Tile: a typed, laid-out name for bytes of an on-chip memory.
//
// A tile owns nothing; TASSIGN gives it an address. All tiles are described to the simulator by
// one constant record per type, an address and a valid region.
#pragma once

#include "pto/common/global_tensor.hpp"

namespace pto {

namespace ptosim_detail {

template <TileType Location_>
inline constexpr uint8_t abi_space = Location_ == TileType::Vec          ? PTOSIM_UB
                                     : Location_ == TileType::Mat        ? PTOSIM_L1
                                     : Location_ == TileType::Left       ? PTOSIM_L0A
                                     : Location_ == TileType::Right      ? PTOSIM_L0B
                                     : Location_ == TileType::Acc        ? PTOSIM_L0C
                                     : Location_ == TileType::Bias       ? PTOSIM_BIAS
                                     : Location_ == TileType::Scaling    ? PTOSIM_FIXPIPE
                                     : Location_ == TileType::ScaleLeft  ? PTOSIM_SCALE_A
                                     : Location_ == TileType::ScaleRight ? PTOSIM_SCALE_B
                                                                         : PTOSIM_UB;

constexpr void set_pad(ptosim_tile& tile, PadValue pad) {
    tile.pad = isCustomPadValue(pad) ? uint8_t{PTOSIM_PAD_CUSTOM} : static_cast<uint8_t>(pad);
    tile.pad_bits = getCustomPadBits(pad);
}

template <TileType Location_, typename T_, int Rows_, int Cols_, BLayout Outer_, SLayout Inner_,
          int Fractal_, PadValue Pad_, CompactMode Compact_>
constexpr ptosim_tile describe() {
    ptosim_tile tile{};
    tile.space = abi_space<Location_>;
    tile.dtype = element_type<T_>;
    tile.outer = static_cast<uint8_t>(Outer_);
    tile.inner = static_cast<uint8_t>(Inner_);
    tile.fractal = Fractal_;
    tile.compact = static_cast<uint8_t>(Compact_);
    tile.rows = Rows_;
    tile.cols = Cols_;
    // Rows of int4b_t are as far apart as if each element had a byte.
    if (std::is_same_v<T_, int4b_t>) tile.pitch = 2 * (Outer_ == BLayout::RowMajor ? Cols_ : Rows_);
    set_pad(tile, Pad_);
    return tile;
}
template <TileType Location_, typename T_, int Rows_, int Cols_, BLayout Outer_, SLayout Inner_,
          int Fractal_, PadValue Pad_, CompactMode Compact_>
inline constexpr ptosim_tile description =
    describe<Location_, T_, Rows_, Cols_, Outer_, Inner_, Fractal_, Pad_, Compact_>();

// Rows (or, with the arguments swapped, columns) of an inner box.
constexpr int box_extent(bool boxed, bool along_row_major, int fractal, int element_bytes) {
    if (!boxed) return 1;
    if (fractal == TileConfig::fractalCSize) return TileConfig::fixedRowSize;
    if (fractal == TileConfig::fractalMxSize) {
        return along_row_major ? TileConfig::fixedMxRowSize : TileConfig::fixedMxColSize;
    }
    return along_row_major ? TileConfig::fixedRowSize : TileConfig::alignedSize / element_bytes;
}

}  // namespace ptosim_detail

template <TileType Loc_, typename Element_, const int Rows_, const int Cols_,
          const BLayout BFractal_ = BLayout::RowMajor, const int RowValid_ = Rows_,
          const int ColValid_ = Cols_, const SLayout SFractal_ = SLayout::NoneBox,
          const int SFractalSize_ = TileConfig::fractalABSize, auto PadVal_ = PadValue::Null,
          const CompactMode Compact_ = CompactMode::Null>
struct Tile : ptosim_detail::TileBase {
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
        ptosim_detail::box_extent(isBoxedLayout, isInnerRowMajor, SFractalSize, sizeof(DType));
    static constexpr int InnerCols =
        ptosim_detail::box_extent(isBoxedLayout, isInnerColMajor, SFractalSize, sizeof(DType));
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
    template <int R_ = ValidRow, int C_ = ValidCol>
    Tile(std::enable_if_t<R_ == DYNAMIC && C_ == DYNAMIC, unsigned> rows, unsigned cols) {
        init(rows, cols);
    }
    template <int R_ = ValidRow, int C_ = ValidCol>
    Tile(std::enable_if_t<(R_ == DYNAMIC) != (C_ == DYNAMIC), unsigned> extent) {  // NOLINT
        init(R_ == DYNAMIC ? extent : R_, C_ == DYNAMIC ? extent : C_);
    }

    // The address, as a pointer of the tile's memory: for arithmetic and for TASSIGN. Kernels may bind a reference to it.
    TileDType& data() const {
        if constexpr (std::is_pointer_v<TileDType>) {
            pointer = reinterpret_cast<TileDType>(address);
        } else {
            pointer = static_cast<TileDType>(address);
        }
        return pointer;
    }

    template <int R_ = ValidRow>
    static constexpr std::enable_if_t<(R_ > 0), unsigned> GetValidRow() {
        return R_;
    }
    template <int R_ = ValidRow>
    std::enable_if_t<(R_ <= 0), unsigned> GetValidRow() const {
        return RowMaskInternal;
    }
    template <int C_ = ValidCol>
    static constexpr std::enable_if_t<(C_ > 0), unsigned> GetValidCol() {
        return C_;
    }
    template <int C_ = ValidCol>
    std::enable_if_t<(C_ <= 0), unsigned> GetValidCol() const {
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
    DType GetValue(uint32_t offset, ptosim_location where = ptosim_detail::here()) const {
        static_assert(Loc == TileType::Vec, "PTO: GetValue reads tiles of UB");
        const ptosim_tile tile = record(*this);
        const uint64_t bits = ptosim_load_local(&tile, offset, where);
        DType value;
        __builtin_memcpy(&value, &bits, sizeof(DType));
        return value;
    }
    void SetValue(uint32_t offset, DType value, ptosim_location where = ptosim_detail::here()) {
        static_assert(Loc == TileType::Vec, "PTO: SetValue writes tiles of UB");
        const ptosim_tile tile = record(*this);
        ptosim_store_local(&tile, offset, ptosim_detail::to_bits(value), where);
    }

    // True if K of an f32 product is aligned to 16 (a2a3), which decides the packing of L0A.
    bool GetKAligned() const { return aligned_k; }
    void SetKAligned(bool aligned) { aligned_k = aligned; }
    void SetMadTF32Mode(RoundMode mode = RoundMode::CAST_ROUND);
    void ResetMadMode();

    static constexpr const ptosim_tile& described() {
        return ptosim_detail::description<Loc, std::remove_cv_t<DType>, Rows, Cols, BFractal,
                                          SFractal, SFractalSize, static_cast<PadValue>(PadVal),
                                          Compact>;
    }

 private:
    void init(unsigned rows, unsigned cols) {
        description = &described();
        RowMaskInternal = rows;
        ColMaskInternal = cols;
    }

    bool aligned_k = false;
    mutable TileDType pointer{};  // the last result of data()
};

// ---- the tiles of a matrix product -----------------------------------------------------------
namespace ptosim_detail {
#ifdef PTO_NPU_ARCH_A2A3
inline constexpr BLayout kLeftOuter = BLayout::RowMajor;
#else
inline constexpr BLayout kLeftOuter = BLayout::ColMajor;
#endif
}  // namespace ptosim_detail

#define PTO_DETAIL_MATRIX_TILE(Name_, Location_, Outer_, Inner_, Fractal_)                         \
    template <typename T_, const int Rows_, const int Cols_, const int RowValid_ = Rows_,          \
              const int ColValid_ = Cols_>                                                         \
    using Name_ = Tile<TileType::Location_, T_, Rows_, Cols_, Outer_, RowValid_, ColValid_,        \
                       SLayout::Inner_, TileConfig::Fractal_>;                                     \
    template <typename T_, const int Rows_, const int Cols_, const int RowValid_ = Rows_,          \
              const int ColValid_ = Cols_>                                                         \
    using Name_##Compact =                                                                         \
        Tile<TileType::Location_, T_, Rows_, Cols_, Outer_, RowValid_, ColValid_, SLayout::Inner_, \
             TileConfig::Fractal_, PadValue::Null, CompactMode::Normal>
PTO_DETAIL_MATRIX_TILE(TileLeft, Left, ptosim_detail::kLeftOuter, RowMajor, fractalABSize);
PTO_DETAIL_MATRIX_TILE(TileRight, Right, BLayout::RowMajor, ColMajor, fractalABSize);
PTO_DETAIL_MATRIX_TILE(TileAcc, Acc, BLayout::ColMajor, RowMajor, fractalCSize);
PTO_DETAIL_MATRIX_TILE(TileLeftScale, ScaleLeft, BLayout::RowMajor, RowMajor, fractalMxSize);
PTO_DETAIL_MATRIX_TILE(TileRightScale, ScaleRight, BLayout::ColMajor, ColMajor, fractalMxSize);
#undef PTO_DETAIL_MATRIX_TILE

// ---- names of types ---------------------------------------------------------------------------
template <typename T_>
struct is_tile : std::false_type {
    static constexpr SLayout layout_enum = SLayout::NoneBox;
};
template <TileType L_, typename E_, const int R_, const int C_, const BLayout B_, const int Rv_,
          const int Cv_, const SLayout S_, const int F_, auto P_, const CompactMode M_>
struct is_tile<Tile<L_, E_, R_, C_, B_, Rv_, Cv_, S_, F_, P_, M_>> : std::true_type {
    static constexpr SLayout layout_enum = S_;
};
template <typename T_>
constexpr bool is_tile_data_v = is_tile<T_>::value;
template <typename T_>
constexpr bool is_boxed_tile = is_tile<T_>::layout_enum != SLayout::NoneBox;
template <typename T_>
constexpr bool is_boxed_data_v = is_boxed_tile<T_>;

namespace ptosim_detail {
// By the static type: kernels take a tile for one of another type (reinterpret_cast), which shares
// no more than its address.
template <class T_, class = std::enable_if_t<is_tile_data_v<T_>>>
ptosim_tile record(const T_& tile) {
    ptosim_tile result = T_::described();
    result.address = tile.placed ? static_cast<uint32_t>(tile.address) : PTOSIM_NO_ADDRESS;
    result.valid_rows = static_cast<int32_t>(tile.GetValidRow());
    result.valid_cols = static_cast<int32_t>(tile.GetValidCol());
    return result;
}
template <class T_, class = std::enable_if_t<is_tile_data_v<T_>>>
ptosim_operand operand(const T_& tile) {
    return operand(record(tile));
}
}  // namespace ptosim_detail

template <typename T_>
struct is_Nz_layout {
    static constexpr bool value = !T_::isRowMajor && T_::isInnerRowMajor;
};
template <typename T_>
struct is_Zn_layout {
    static constexpr bool value = T_::isRowMajor && T_::isInnerColMajor;
};
template <typename T_>
struct is_Zz_layout {
    static constexpr bool value = T_::isRowMajor && T_::isInnerRowMajor;
};

// Offset of element (row, col) of a tile, in elements from its address.
template <typename T_>
constexpr size_t GetTileOffset(int row, int col) {
    if (!T_::isBoxedLayout) return static_cast<size_t>(row) * T_::RowStride + col * T_::ColStride;
    const int box = T_::isRowMajor
                        ? row / T_::InnerRows * (T_::Cols / T_::InnerCols) + col / T_::InnerCols
                        : col / T_::InnerCols * (T_::Rows / T_::InnerRows) + row / T_::InnerRows;
    const int inner_row = row % T_::InnerRows;
    const int inner_col = col % T_::InnerCols;
    const int within = T_::isInnerRowMajor ? inner_row * T_::InnerCols + inner_col
                                           : inner_col * T_::InnerRows + inner_row;
    return static_cast<size_t>(box) * T_::InnerNumel + within;
}

}  // namespace pto
