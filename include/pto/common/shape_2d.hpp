// TileShape2D and BaseShape2D: shape and strides of a matrix in global memory, by its layout.
//
// A matrix of `rows` x `cols` is stored in blocks. Each layout is described once, as five shapes
// and five strides in terms of rows and columns, either of which may be DYNAMIC.
#pragma once

#include "pto/common/global_tensor.hpp"

namespace pto {

namespace detail {

constexpr int64_t times(int64_t a, int64_t b) {
    return a == DYNAMIC || b == DYNAMIC ? int64_t{DYNAMIC} : a * b;
}
constexpr int64_t over(int64_t a, int64_t b) { return a == DYNAMIC ? int64_t{DYNAMIC} : a / b; }

// Shapes and strides of a matrix of r x c elements of T.
template <typename T, Layout LAYOUT>
struct MatrixLayout;

#define PTO_DETAIL_MATRIX(LAYOUT, S0, S1, S2, S3, S4, D0, D1, D2, D3, D4) \
    template <typename T>                                                 \
    struct MatrixLayout<T, Layout::LAYOUT> {                              \
        static constexpr int64_t kC0 = C0_SIZE_BYTE / sizeof(T);          \
        static constexpr int64_t shape(int dim, int64_t r, int64_t c) {   \
            const int64_t all[5] = {S0, S1, S2, S3, S4};                  \
            (void)r, (void)c;                                             \
            return all[dim];                                              \
        }                                                                 \
        static constexpr int64_t stride(int dim, int64_t r, int64_t c) {  \
            const int64_t all[5] = {D0, D1, D2, D3, D4};                  \
            (void)r, (void)c;                                             \
            return all[dim];                                              \
        }                                                                 \
    }
#define PTO_RC times(r, c)
PTO_DETAIL_MATRIX(ND, 1, 1, 1, r, c, PTO_RC, PTO_RC, PTO_RC, c, 1);
PTO_DETAIL_MATRIX(DN, 1, 1, 1, r, c, PTO_RC, PTO_RC, PTO_RC, 1, r);
PTO_DETAIL_MATRIX(NZ, 1, over(c, kC0), over(r, FRACTAL_NZ_ROW), FRACTAL_NZ_ROW, kC0, PTO_RC,
                  times(r, kC0), FRACTAL_NZ_ROW* kC0, kC0, 1);
// Scales of matrix products: pairs (MX) or quadruples (HIF4) along the reduced dimension.
PTO_DETAIL_MATRIX(MX_A_ZZ, 1, over(r, MX_ROW_LEN), over(c, MX_COL_LEN), MX_ROW_LEN, MX_COL_LEN,
                  PTO_RC, times(c, MX_ROW_LEN), MX_BLOCK_SIZE, MX_COL_LEN, 1);
PTO_DETAIL_MATRIX(MX_A_ND, 1, 1, r, over(c, MX_COL_LEN), MX_COL_LEN, PTO_RC, PTO_RC, c, MX_COL_LEN,
                  1);
PTO_DETAIL_MATRIX(MX_A_DN, 1, 1, over(c, MX_COL_LEN), r, MX_COL_LEN, PTO_RC, PTO_RC,
                  times(r, MX_COL_LEN), MX_COL_LEN, 1);
PTO_DETAIL_MATRIX(MX_B_NN, 1, over(c, MX_ROW_LEN), over(r, MX_COL_LEN), MX_ROW_LEN, MX_COL_LEN,
                  PTO_RC, times(r, MX_ROW_LEN), MX_BLOCK_SIZE, MX_COL_LEN, 1);
PTO_DETAIL_MATRIX(MX_B_ND, 1, 1, over(r, MX_COL_LEN), c, MX_COL_LEN, PTO_RC, PTO_RC,
                  times(c, MX_COL_LEN), MX_COL_LEN, 1);
PTO_DETAIL_MATRIX(MX_B_DN, 1, 1, c, over(r, MX_COL_LEN), MX_COL_LEN, PTO_RC, PTO_RC, r, MX_COL_LEN,
                  1);
PTO_DETAIL_MATRIX(HIF4_A_ZZ, 1, over(r, HIF4_ROW_LEN), c, HIF4_ROW_LEN, HIF4_COL_LEN, PTO_RC,
                  times(c, HIF4_ROW_LEN), HIF4_BLOCK_SIZE, HIF4_COL_LEN, 1);
PTO_DETAIL_MATRIX(HIF4_B_NN, 1, over(c, HIF4_ROW_LEN), r, HIF4_ROW_LEN, HIF4_COL_LEN, PTO_RC,
                  times(r, HIF4_ROW_LEN), HIF4_BLOCK_SIZE, HIF4_COL_LEN, 1);
#undef PTO_RC
#undef PTO_DETAIL_MATRIX

template <typename T, int64_t R, int64_t C, Layout L, class M = MatrixLayout<T, L>>
using MatrixShape = Shape<M::shape(0, R, C), M::shape(1, R, C), M::shape(2, R, C),
                          M::shape(3, R, C), M::shape(4, R, C)>;
template <typename T, int64_t R, int64_t C, Layout L, class M = MatrixLayout<T, L>>
using MatrixStride = Stride<M::stride(0, R, C), M::stride(1, R, C), M::stride(2, R, C),
                            M::stride(3, R, C), M::stride(4, R, C)>;

}  // namespace detail

template <typename T, int64_t rows = DYNAMIC, int64_t cols = DYNAMIC, Layout LAYOUT = Layout::ND>
struct TileShape2D : detail::MatrixShape<T, rows, cols, LAYOUT> {
    using Parent = detail::MatrixShape<T, rows, cols, LAYOUT>;
    using Matrix = detail::MatrixLayout<T, LAYOUT>;
    static constexpr int C0Size = LAYOUT == Layout::NZ ? C0_SIZE_BYTE / sizeof(T) : MX_COL_LEN;
    static_assert(LAYOUT != Layout::NZ || rows == DYNAMIC || rows % FRACTAL_NZ_ROW == 0,
                  "PTO: rows of a matrix in NZ are a multiple of 16");
    static_assert(LAYOUT != Layout::NZ || cols == DYNAMIC || cols % C0Size == 0,
                  "PTO: columns of a matrix in NZ are a multiple of 32 bytes");

    constexpr TileShape2D() : Parent() {}
    constexpr TileShape2D(int64_t r, int64_t c)
        : Parent(Matrix::shape(0, r, c), Matrix::shape(1, r, c), Matrix::shape(2, r, c),
                 Matrix::shape(3, r, c), Matrix::shape(4, r, c)) {}
    using Parent::Parent;
};

template <typename T, int64_t rows = DYNAMIC, int64_t cols = DYNAMIC, Layout LAYOUT = Layout::ND>
struct BaseShape2D : detail::MatrixStride<T, rows, cols, LAYOUT> {
    using Parent = detail::MatrixStride<T, rows, cols, LAYOUT>;
    using Matrix = detail::MatrixLayout<T, LAYOUT>;
    static constexpr int C0Size = C0_SIZE_BYTE / sizeof(T);

    constexpr BaseShape2D() : Parent() {}
    constexpr BaseShape2D(int64_t r, int64_t c)
        : Parent(Matrix::stride(0, r, c), Matrix::stride(1, r, c), Matrix::stride(2, r, c),
                 Matrix::stride(3, r, c), Matrix::stride(4, r, c)) {}
    using Parent::Parent;
};

}  // namespace pto
