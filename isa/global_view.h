// Views of global memory: a device address with a shape of up to five dimensions.
#pragma once

#include <array>
#include <cstdint>
#include <string>

#include "isa/numeric/dtype.h"

namespace ptosim {

enum class GlobalLayout : uint8_t { kND, kDN, kNZ };
std::string_view name(GlobalLayout layout);

// Shape and strides are right-aligned: dimension 4 is the innermost, unused leading dimensions
// have extent 1. Strides are in elements. An NZ view has shape [.., c1, r1, 16, c0]: its dims
// 1..4 are column blocks, row blocks, rows of a block and columns of a block.
struct GlobalView {
    static constexpr int kRank = 5;

    uint64_t address = 0;  // device address of element 0
    std::array<int64_t, kRank> stride{1, 1, 1, 1, 1};
    std::array<int32_t, kRank> shape{1, 1, 1, 1, 1};
    DType dtype = DType::kF32;
    GlobalLayout layout = GlobalLayout::kND;

    int64_t elements() const;
    // Bytes from `address` to the end of the last element.
    uint64_t span_bytes() const;
    // As a matrix: how many rows and columns a 2-D tile sees. ND: dims 0..3 collapse into rows,
    // dim 4 is columns. DN: dim 3 is rows, dims 0..2 and 4 collapse into columns. NZ: rows are
    // dims 2*3, columns are dims 0*1*4.
    int64_t matrix_rows() const;
    int64_t matrix_cols() const;
    // Element offset of matrix position (row, col).
    int64_t matrix_offset(int64_t row, int64_t col) const;

    friend bool operator==(const GlobalView&, const GlobalView&) = default;
};

// "f16 [1,1,1,128,64] strides [...] ND"
std::string to_text(const GlobalView& view);

}  // namespace ptosim
