// TMATMUL_ACC begins its sums with the content of the accumulator: 2^24 and one after the other of
// 16 ones stays 2^24 in f32, where 2^24 and their sum would be 2^24 + 16.
//
// y is the sum of the products left[t] right[t], 16 x 16, in the order of t.
#include <pto/pto-inst.hpp>

using namespace pto;

#ifdef __DAV_CUBE__
namespace {

constexpr int kSize = 16;
template <typename Element, int Rows, int Cols>
using View = GlobalTensor<Element, Shape<1, 1, 1, Rows, Cols>, Stride<1, 1, 1, Cols, 1>>;
template <typename Element>
using L1 = Tile<TileType::Mat, Element, kSize, kSize, BLayout::ColMajor, -1, -1, SLayout::RowMajor>;

}  // namespace
#endif

extern "C" __global__ __aicore__ void sums(__gm__ half* left, __gm__ half* right, __gm__ float* y,
                                           int32_t turns) {
#ifdef __DAV_CUBE__
    L1<half> of_left(kSize, kSize), of_right(kSize, kSize);
    TileLeft<half, kSize, kSize> a;
    TileRight<half, kSize, kSize> b;
    TileAcc<float, kSize, kSize> c;
    TASSIGN(of_left, 0);
    TASSIGN(of_right, 4096);
    TASSIGN(a, 0);
    TASSIGN(b, 0);
    TASSIGN(c, 0);
    for (int32_t turn = 0; turn < turns; ++turn) {
        View<half, kSize, kSize> from_left(left + turn * kSize * kSize);
        View<half, kSize, kSize> from_right(right + turn * kSize * kSize);
        TLOAD(of_left, from_left);
        TLOAD(of_right, from_right);
        pipe_barrier(PIPE_ALL);
        TMOV(a, of_left);
        TMOV(b, of_right);
        pipe_barrier(PIPE_ALL);
        if (turn == 0)
            TMATMUL(c, a, b);
        else
            TMATMUL_ACC(c, c, a, b);
        pipe_barrier(PIPE_ALL);
    }
    View<float, kSize, kSize> to(y);
    TSTORE(to, c);
    pipe_barrier(PIPE_ALL);
#endif
}
