// Parameters of a convolution's operands beyond a tile's two dimensions.
//
// A feature map or filter on chip is a tile of rows of 32 bytes (c0 channels each); its shape in
// five or six dimensions, and where the windows of TIMG2COL lie in it, are attributes of the
// instruction. The C++ API's ConvTile has both (hw-native-sys/pto-isa
// include/pto/common/pto_tile.hpp).
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "isa/core/global_view.h"
#include "isa/core/tile.h"

namespace ptosim {

// Layout and extents, outermost first; unused trailing dims are 0. Layout kND: not given.
struct ConvShape {
    GlobalLayout layout = GlobalLayout::kND;
    std::array<uint8_t, 3> padding{};  // always zero: equal shapes are equal bytes
    std::array<int32_t, 6> dims{};

    bool given() const { return layout != GlobalLayout::kND; }
    int64_t elements() const;  // 0 if no extent is given
    friend bool operator==(const ConvShape&, const ConvShape&) = default;
};

// The windows of TIMG2COL. `registers` tells where the feature map's size, its padding and the repetition come from: 0:
// from the fields here; 1 or 2: from register set A or B of the core, which SETFMATRIX, SET_IMG2COL_RPT and
// SET_IMG2COL_PADDING have set.
struct Image {
    uint16_t height = 0, width = 0;
    uint8_t pad_left = 0, pad_right = 0, pad_top = 0, pad_bottom = 0;
    uint16_t filter_height = 1, filter_width = 1;
    uint8_t dilation_height = 1, dilation_width = 1;
    uint8_t stride_height = 1, stride_width = 1;
    uint16_t channels = 0;  // 0: one block of c0
    // Between repetitions: 16 rows of the matrix (mode 0), or c0 columns (mode 1).
    uint16_t repeat_stride = 0;
    uint8_t repeat_time = 1, repeat_mode = 0;
    // a5: position in L0A, in blocks of 16 rows: the distance between columns of blocks (0: follows from the tile), and
    // the first row.
    uint16_t dst_stride = 0;
    uint16_t dst_position = 0;
    bool transpose = false;  // rows of the matrix become columns of the target
    uint8_t registers = 0;
    uint32_t pad_value = 0;  // element bits

    // Number of windows along each side; 0 or less if none fits.
    int out_height() const;
    int out_width() const;
    // The rows and columns of the target that are written, from its beginning.
    int64_t target_rows(const Tile& dst) const;
    int64_t target_cols(const Tile& dst) const;
    // The target as it lies in L0A: dst with the given distance, transposed if the matrix is.
    Tile target(const Tile& dst) const;
    friend bool operator==(const Image&, const Image&) = default;
};

// The shape of a source as it lies in memory: between GNC1HWC0 and FRACTAL_Z each group has room
// for whole blocks of filters. (hw-native-sys/pto-isa include/pto/npu/{a2a3,a5}/TTrans.hpp,
// TTransConvGNC1HWC02GC1HWNC0)
ConvShape as_stored(const ConvShape& source, const ConvShape& target);

// Number of channels (c0) and filters (n0) in a block.
struct ConvBlocks {
    int channels = 0;
    int filters = 16;
};
// Blocks of one of two shapes, if one of them has blocks; else `channels` and 16.
ConvBlocks conv_blocks(const ConvShape& shape, const ConvShape& other, int channels);

// One dimension of a convolution layout: 'g' group, 'n' image or filter, 'c' channel, 'd' depth,
// 'h', 'w'; 'C' and '0' block of c0 channels and channel within it; 'N' and 'o' likewise for n0
// filters.
struct ConvAxis {
    char axis = 0;
    int32_t extent = 0;
    int64_t stride = 0;  // in elements
};

// The dimensions of a shape, dense, with merged ones (the first of a fractal filter) taken apart
// by the extents of `other`. Empty if the shape has other dimensions than its layout, or they do
// not divide. `depth_outside`: FRACTAL_Z_3D has [d, c1, h, w] (TTRANS) and not [c1, d, h, w].
std::vector<ConvAxis> conv_axes(const ConvShape& shape, const ConvShape& other, ConvBlocks blocks,
                                bool depth_outside);
// The dimensions of a view; its strides.
std::vector<ConvAxis> conv_axes(const GlobalView& view, int c0);
// The shape that the view itself states.
ConvShape conv_shape(const GlobalView& view);

}  // namespace ptosim
