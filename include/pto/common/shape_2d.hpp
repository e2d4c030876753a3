// TileShape2D and BaseShape2D: shape and strides of a matrix in global memory, by its layout.
//
// A matrix of `rows` x `cols` is stored in blocks. Each layout is described once, as five shapes
// and five strides in terms of rows and columns, either of which may be DYNAMIC.
#pragma once

#include "pto/common/global_tensor.hpp"

namespace pto {

namespace ptosim_detail {

constexpr int64_t times(int64_t a, int64_t b) {
    return a == DYNAMIC || b == DYNAMIC ? int64_t{DYNAMIC} : a * b;
}
constexpr int64_t over(int64_t a, int64_t b) { return a == DYNAMIC ? int64_t{DYNAMIC} : a / b; }

// Shapes and strides of a matrix of r x c elements of T_.
template <typename T_, Layout Layout_>
struct MatrixLayout;

#define PTO_DETAIL_MATRIX(Layout_, S0_, S1_, S2_, S3_, S4_, D0_, D1_, D2_, D3_, D4_) \
    template <typename T_>                                                           \
    struct MatrixLayout<T_, Layout::Layout_> {                                       \
        static constexpr int64_t kC0 = C0_SIZE_BYTE / sizeof(T_);                    \
        static constexpr int64_t shape(int dim, int64_t r, int64_t c) {              \
            const int64_t all[5] = {S0_, S1_, S2_, S3_, S4_};                        \
            (void)r, (void)c;                                                        \
            return all[dim];                                                         \
        }                                                                            \
        static constexpr int64_t stride(int dim, int64_t r, int64_t c) {             \
            const int64_t all[5] = {D0_, D1_, D2_, D3_, D4_};                        \
            (void)r, (void)c;                                                        \
            return all[dim];                                                         \
        }                                                                            \
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

template <typename T_, int64_t R_, int64_t C_, Layout L_, class M_ = MatrixLayout<T_, L_>>
using MatrixShape = Shape<M_::shape(0, R_, C_), M_::shape(1, R_, C_), M_::shape(2, R_, C_),
                          M_::shape(3, R_, C_), M_::shape(4, R_, C_)>;
template <typename T_, int64_t R_, int64_t C_, Layout L_, class M_ = MatrixLayout<T_, L_>>
using MatrixStride = Stride<M_::stride(0, R_, C_), M_::stride(1, R_, C_), M_::stride(2, R_, C_),
                            M_::stride(3, R_, C_), M_::stride(4, R_, C_)>;

}  // namespace ptosim_detail

template <typename T_, int64_t rows = DYNAMIC, int64_t cols = DYNAMIC, Layout Layout_ = Layout::ND>
struct TileShape2D : ptosim_detail::MatrixShape<T_, rows, cols, Layout_> {
    using Parent = ptosim_detail::MatrixShape<T_, rows, cols, Layout_>;
    using Matrix = ptosim_detail::MatrixLayout<T_, Layout_>;
    static constexpr int C0Size = Layout_ == Layout::NZ ? C0_SIZE_BYTE / sizeof(T_) : MX_COL_LEN;
    static_assert(Layout_ != Layout::NZ || rows == DYNAMIC || rows % FRACTAL_NZ_ROW == 0,
                  "PTO: rows of a matrix in NZ are a multiple of 16");
    static_assert(Layout_ != Layout::NZ || cols == DYNAMIC || cols % C0Size == 0,
                  "PTO: columns of a matrix in NZ are a multiple of 32 bytes");

    constexpr TileShape2D() : Parent() {}
    constexpr TileShape2D(int64_t r, int64_t c)
        : Parent(Matrix::shape(0, r, c), Matrix::shape(1, r, c), Matrix::shape(2, r, c),
                 Matrix::shape(3, r, c), Matrix::shape(4, r, c)) {}
    using Parent::Parent;
};

template <typename T_, int64_t rows = DYNAMIC, int64_t cols = DYNAMIC, Layout Layout_ = Layout::ND>
struct BaseShape2D : ptosim_detail::MatrixStride<T_, rows, cols, Layout_> {
    using Parent = ptosim_detail::MatrixStride<T_, rows, cols, Layout_>;
    using Matrix = ptosim_detail::MatrixLayout<T_, Layout_>;
    static constexpr int C0Size = C0_SIZE_BYTE / sizeof(T_);

    constexpr BaseShape2D() : Parent() {}
    constexpr BaseShape2D(int64_t r, int64_t c)
        : Parent(Matrix::stride(0, r, c), Matrix::stride(1, r, c), Matrix::stride(2, r, c),
                 Matrix::stride(3, r, c), Matrix::stride(4, r, c)) {}
    using Parent::Parent;
};

}  // namespace pto
