// Views of global memory: a device address with a shape of up to five dimensions.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "isa/numeric/dtype.h"

namespace ptosim {

// With the numbers of the C++ API (hw-native-sys/pto-isa include/pto/common/type.hpp, Layout).
enum class GlobalLayout : uint8_t {
    kND,
    kDN,
    kNZ,
    kScale,
    // e8m0 scales of block-scaled factors, two neighbours along k together (a5).
    kMxAND,  // [1, 1, m, k / 2, 2]
    kMxADN,  // [1, 1, k / 2, m, 2]
    kMxAZZ,  // [g, m / 16, k / 2, 16, 2]
    kMxBND,  // [1, 1, k / 2, n, 2]
    kMxBDN,  // [1, 1, n, k / 2, 2]
    kMxBNN,  // [g, n / 16, k / 2, 16, 2]
    kHif4AZZ,
    kHif4BNN,
    // Convolutions: channels in blocks of 32 bytes (c1, c0), filters as fractals.
    kNC1HWC0,
    kGNC1HWC0,
    kNCHW,
    kGNCHW,
    kNHWC,
    kNDC1HWC0,  // as a view [n, d, c1, h, w], blocks of c0 contiguous
    kNCDHW,
    kFractalZ,  // [c1 h w, n / 16, 16, c0], or [c1, h, w, n, c0]
    kFractalZS16S8,
    kFractalZ3D,  // [c1 d h w, n / 16, 16, c0]
    kCount,
};
std::string_view name(GlobalLayout layout);                              // "ND", "MX_A_ZZ"
std::optional<GlobalLayout> parse_global_layout(std::string_view word);  // "ND", "nd"
// True if a tile of that layout is a convolution's feature map or filter.
constexpr bool is_convolution(GlobalLayout layout) { return layout >= GlobalLayout::kNC1HWC0; }

// Shape and strides are right-aligned: dimension 4 is the innermost, unused leading dimensions
// have extent 1. Strides are in elements. An NZ view has shape [.., c1, r1, 16, c0]: its dims
// 1..4 are column blocks, row blocks, rows of a block and columns of a block.
struct GlobalView {
    static constexpr int kRank = 5;
    // Bit of the addresses of compiled kernels that sets past_l2 (include/ptosim/kernel_abi.h, PTOSIM_PAST_L2).
    static constexpr uint64_t kPastL2 = uint64_t{1} << 60;

    uint64_t address = 0;  // device address of element 0
    std::array<int64_t, kRank> stride{1, 1, 1, 1, 1};
    std::array<int32_t, kRank> shape{1, 1, 1, 1, 1};
    DType dtype = DType::kF32;
    GlobalLayout layout = GlobalLayout::kND;
    bool past_l2 = false;  // a cache hint: its transfers bypass L2, which keeps nothing of them that it does not hold

    // Moves kPastL2 from the address to past_l2.
    void take_hint() {
        past_l2 = past_l2 || (address & kPastL2) != 0;
        address &= ~kPastL2;
    }
    int64_t elements() const;
    // Elements that follow each one counted by the shape: the channels of an NDC1HWC0 block,
    // else 1.
    int64_t block_channels() const;
    // Bytes from `address` to the end of the last element.
    uint64_t span_bytes() const;
    // The view as a matrix: numbers of rows and columns for a 2-D tile. ND: dims 0..3 collapse into rows, dim 4 is
    // columns. DN: dim 3 is rows, dims 0..2 and 4 collapse into columns. NZ: rows are dims 2*3, columns are dims 0*1*4.
    // Scales: m x k, k x n. NC1HWC0, NCHW, NHWC and NCDHW: rows are the positions of all images, columns the channels.
    int64_t matrix_rows() const;
    int64_t matrix_cols() const;
    // Element offset of matrix position (row, col).
    int64_t matrix_offset(int64_t row, int64_t col) const;

    friend bool operator==(const GlobalView&, const GlobalView&) = default;
};

// "f16 [1,1,1,128,64] strides [...] ND"
std::string to_text(const GlobalView& view);

}  // namespace ptosim
