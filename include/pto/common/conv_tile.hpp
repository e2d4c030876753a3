// ConvTile: an image or a filter of a convolution in an on-chip memory.
//
// To instructions it is an ordinary tile: an image is a list of rows of C0 channels, a filter is
// the right factor (ZN) of the matrix product that a convolution becomes.
#pragma once

#include "pto/common/tile.hpp"

namespace pto {

// One to six extents, each a constant or DYNAMIC.
template <int... N_>
struct ConvTileShape {
    static constexpr int totalDimCount = sizeof...(N_);
    static constexpr int dynamicDimCount = ((N_ == DYNAMIC ? 1 : 0) + ... + 0);
    static_assert(totalDimCount >= 1 && totalDimCount <= 6, "PTO: a ConvTile has 1 to 6 extents");
    struct Extents {
        int64_t values[6];
    };
    static constexpr Extents kStatic{{N_...}};
    static constexpr int64_t staticShape[6] = {kStatic.values[0], kStatic.values[1],
                                               kStatic.values[2], kStatic.values[3],
                                               kStatic.values[4], kStatic.values[5]};
    int64_t shape[6] = {N_...};

    constexpr ConvTileShape() = default;
    template <class... Extent>
    constexpr ConvTileShape(int64_t first, Extent... rest) {  // NOLINT
        static_assert(sizeof...(rest) + 1 == dynamicDimCount || sizeof...(rest) + 1 == 6,
                      "PTO: give one extent for each DYNAMIC one");
        const int64_t given[] = {first, static_cast<int64_t>(rest)...};
        for (int i = 0, next = 0; i < totalDimCount; ++i) {
            if (kStatic.values[i] == DYNAMIC) {
                shape[i] = given[sizeof...(rest) + 1 == 6 ? i : next++];
            }
        }
    }
};

namespace ptosim_detail {

// Parameters of the image that TIMG2COL unfolds.
struct Convolution {
    uint16_t fmap_h = 0, fmap_w = 0;
    uint8_t pad[4] = {};  // left, right, top, bottom
    uint16_t filter_h = 1, filter_w = 1;
    uint8_t dilation_h = 1, dilation_w = 1;
    uint8_t stride_h = 1, stride_w = 1;
    uint16_t channels = 0;
    bool transpose = false;
    uint16_t repeat_stride = 0;
    uint8_t repeat_time = 1, repeat_mode = 0;
    uint16_t dst_stride = 0, dst_position = 0;
};

}  // namespace ptosim_detail

template <TileType Loc_, typename Element_, const int BufferSize_, Layout Layout_, typename Shape_>
struct ConvTile : ptosim_detail::TileBase {
    using DType = Element_;
    using ShapeType = Shape_;
    using TileDType = typename MemoryQualifier<Loc_, DType>::type;
    static constexpr TileType Loc = Loc_;
    static constexpr int bufferSize = BufferSize_;
    static constexpr Layout layout = Layout_;
    static constexpr int totalDimCount = ShapeType::totalDimCount;
    static constexpr int dynamicDimCount = ShapeType::dynamicDimCount;
    static constexpr auto& staticShape = ShapeType::staticShape;

    int64_t shape[6] = {};
    ptosim_detail::Convolution convolution;

    ConvTile() { set_shape(ShapeType{}); }
    template <typename... Extent>
    explicit ConvTile(int64_t first, Extent... rest) {
        set_shape(ShapeType{first, static_cast<int64_t>(rest)...});
    }
    template <typename... Extent>
    void SetDynamicShape(Extent... extents) {
        set_shape(ShapeType{static_cast<int64_t>(extents)...});
    }
    int64_t GetShape(int dim) const { return dim < 0 || dim >= totalDimCount ? -1 : shape[dim]; }

    TileDType data() const { return reinterpret_cast<TileDType>(address); }

#define PTO_DETAIL_PROPERTY(Type_, Name_, Field_)           \
    Type_ Get##Name_() const { return convolution.Field_; } \
    void Set##Name_(Type_ value) { convolution.Field_ = value; }
    PTO_DETAIL_PROPERTY(uint16_t, FmapH, fmap_h)
    PTO_DETAIL_PROPERTY(uint16_t, FmapW, fmap_w)
    PTO_DETAIL_PROPERTY(uint16_t, FilterH, filter_h)
    PTO_DETAIL_PROPERTY(uint16_t, FilterW, filter_w)
    PTO_DETAIL_PROPERTY(uint8_t, DilationH, dilation_h)
    PTO_DETAIL_PROPERTY(uint8_t, DilationW, dilation_w)
    PTO_DETAIL_PROPERTY(uint8_t, StrideH, stride_h)
    PTO_DETAIL_PROPERTY(uint8_t, StrideW, stride_w)
    PTO_DETAIL_PROPERTY(uint16_t, ChannelSize, channels)
    PTO_DETAIL_PROPERTY(bool, Transpose, transpose)
    uint8_t GetPadList(uint8_t index) const { return convolution.pad[index]; }
    void SetPadList(uint8_t index, uint8_t value) { convolution.pad[index] = value; }
    const uint8_t* GetPadListArray() const { return convolution.pad; }
    void SetPadListArray(const uint8_t values[4]) {
        for (int i = 0; i < 4; ++i) convolution.pad[i] = values[i];
    }
    DType GetPadValue() const { return pad_value_; }
    void SetPadValue(DType value) { pad_value_ = value; }

    PTO_DETAIL_PROPERTY(uint16_t, RepeatStride, repeat_stride)
    PTO_DETAIL_PROPERTY(uint8_t, RepeatTime, repeat_time)
    PTO_DETAIL_PROPERTY(uint8_t, RepeatMode, repeat_mode)
    PTO_DETAIL_PROPERTY(uint16_t, DstStride, dst_stride)
    PTO_DETAIL_PROPERTY(uint16_t, DstMposition, dst_position)
#undef PTO_DETAIL_PROPERTY

 private:
    static constexpr bool kFilter = layout == Layout::FRACTAL_Z || layout == Layout::FRACTAL_Z_3D ||
                                    layout == Layout::FRACTAL_Z_S16S8;

    void set_shape(const ShapeType& given) {
        for (int i = 0; i < totalDimCount; ++i) shape[i] = given.shape[i];
        const int64_t inner = shape[totalDimCount - 1];
        int64_t outer = 1;
        for (int i = 0; i + 1 < totalDimCount; ++i) outer *= shape[i];
        record_ = {};
        record_.space = ptosim_detail::abi_space<Loc>;
        record_.dtype = ptosim_detail::element_type<DType>;
        record_.fractal = TileConfig::fractalABSize;
        if (kFilter && Loc == TileType::Mat) {
            // [..., C1 H W][N][C0] or [C1 H W][N / 16][16][C0].
            const int64_t n = totalDimCount == 4 ? shape[1] * shape[2] : shape[totalDimCount - 2];
            record_.inner = PTOSIM_INNER_COL;
            record_.rows = static_cast<int32_t>(outer / n * inner);
            record_.cols = static_cast<int32_t>(n);
        } else {
            record_.rows = static_cast<int32_t>(outer);
            record_.cols = static_cast<int32_t>(inner);
        }
        RowMaskInternal = static_cast<unsigned>(record_.rows);
        ColMaskInternal = static_cast<unsigned>(record_.cols);
        description = nullptr;
    }

 public:
    ptosim_tile record() const {
        ptosim_tile result = record_;
        result.address = static_cast<uint32_t>(address);
        result.valid_rows = record_.rows;
        result.valid_cols = record_.cols;
        return result;
    }
    // The same bytes as rows of 32, the form that TLOAD and TTRANS take together with the shape.
    ptosim_tile rows_of_blocks() const {
        ptosim_tile result = record_;
        int64_t elements = 1;
        for (int i = 0; i < totalDimCount; ++i) elements *= shape[i];
        const int64_t c0 = 32 / static_cast<int64_t>(sizeof(DType));
        result.address = static_cast<uint32_t>(address);
        result.inner = PTOSIM_INNER_NONE;
        result.rows = result.valid_rows = static_cast<int32_t>((elements + c0 - 1) / c0);
        result.cols = result.valid_cols = static_cast<int32_t>(c0);
        return result;
    }

 private:
    ptosim_tile record_;
    DType pad_value_{};
};

template <typename T_>
struct is_conv_tile : std::false_type {};
template <TileType L_, typename E_, const int B_, Layout F_, typename S_>
struct is_conv_tile<ConvTile<L_, E_, B_, F_, S_>> : std::true_type {};
template <typename T_>
constexpr bool is_conv_tile_v = is_conv_tile<T_>::value;

namespace ptosim_detail {

// Layout and extents of a ConvTile from the attribute `layout` on.
template <class T_>
struct ConvAttributes {
    ptosim_attribute list[7];
    ConvAttributes(const T_& tile, ptosim_attribute_key layout) {
        list[0] = attribute(layout, T_::layout);
        for (uint32_t i = 0; i < 6; ++i) {
            list[i + 1] = {layout + 1 + i,
                           i < T_::totalDimCount ? static_cast<int32_t>(tile.shape[i]) : 0};
        }
    }
};

template <TileType L_, typename E_, const int B_, Layout F_, typename S_>
ptosim_operand operand(const ConvTile<L_, E_, B_, F_, S_>& tile) {
    return operand(tile.record());
}

}  // namespace ptosim_detail

}  // namespace pto
