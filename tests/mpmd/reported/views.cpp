// Two kinds of tiles that other simulators did not take as boards do. (1) Tiles that are row views
// of one tile of L1: loading one leaves the rows next to it unchanged, and the first one too, which
// is loaded last. (2) TADD of tiles of which one has its valid shape in its type, and one at run
// time.
//
// x and y are 32 x 64: y = x 2 + x.
#include <pto/pto-inst.hpp>

using namespace pto;

namespace {

constexpr int kRows = 32, kCols = 64;
template <typename Element, int Rows>
using View = GlobalTensor<Element, Shape<1, 1, 1, Rows, kCols>, Stride<1, 1, 1, kCols, 1>>;

#ifdef __DAV_CUBE__
void cube(__gm__ half* x, __gm__ half* twice, __gm__ float* doubled) {
    using Square =
        Tile<TileType::Mat, half, kCols, kCols, BLayout::ColMajor, kCols, kCols, SLayout::RowMajor>;
    using Whole =
        Tile<TileType::Mat, half, kRows, kCols, BLayout::ColMajor, kRows, kCols, SLayout::RowMajor>;
    using Half =
        Tile<TileType::Mat, half, kRows, kCols, BLayout::ColMajor, -1, -1, SLayout::RowMajor>;
    Whole whole;
    Square square;
    Half upper(kRows / 2, kCols), lower(kRows / 2, kCols);
    TASSIGN(whole, 0);
    TASSIGN(upper, 0);
    TASSIGN(lower, kRows / 2 * 32);  // 16 rows of a column of blocks
    TASSIGN(square, 0x8000);
    View<half, kRows / 2> from_upper(x), from_lower(x + kRows / 2 * kCols);
    View<half, kCols> from_twice(twice);
    TLOAD(square, from_twice);
    TLOAD(lower, from_lower);
    pipe_barrier(PIPE_MTE2);
    TLOAD(upper, from_upper);
    TileLeft<half, kRows, kCols> a;
    TileRight<half, kCols, kCols> b;
    TileAcc<float, kRows, kCols> c;
    TASSIGN(a, 0);
    TASSIGN(b, 0);
    TASSIGN(c, 0);
    pipe_barrier(PIPE_ALL);
    TMOV(a, whole);
    TMOV(b, square);
    pipe_barrier(PIPE_ALL);
    TMATMUL(c, a, b);
    pipe_barrier(PIPE_ALL);
    View<float, kRows> to(doubled);
    TSTORE(to, c);
    pipe_barrier(PIPE_ALL);
    ffts_cross_core_sync(PIPE_FIX, 1 | 2 << 4 | 0 << 8);
}
#else
void vector(__gm__ half* x, __gm__ float* doubled, __gm__ float* y) {
    Tile<TileType::Vec, float, kRows, kCols> fixed, sum;
    Tile<TileType::Vec, float, kRows, kCols, BLayout::RowMajor, -1, -1> free(kRows, kCols);
    Tile<TileType::Vec, half, kRows, kCols> small;
    TASSIGN(fixed, 0);
    TASSIGN(free, 0x4000);
    TASSIGN(sum, 0x8000);
    TASSIGN(small, 0xC000);
    View<half, kRows> from(x);
    View<float, kRows> from_doubled(doubled), to(y);
    wait_flag_dev(PIPE_MTE2, 0);
    TLOAD(fixed, from_doubled);
    TLOAD(small, from);
    pipe_barrier(PIPE_ALL);
    TCVT(free, small, RoundMode::CAST_RINT);
    pipe_barrier(PIPE_V);
    TADD(sum, fixed, free);
    pipe_barrier(PIPE_ALL);
    if (get_subblockid() == 0) TSTORE(to, sum);
    pipe_barrier(PIPE_ALL);
}
#endif

}  // namespace

extern "C" __global__ __aicore__ void views(__gm__ half* x, __gm__ half* twice,
                                            __gm__ float* doubled, __gm__ float* y) {
#ifdef __DAV_CUBE__
    cube(x, twice, doubled);
#else
    vector(x, doubled, y);
#endif
}
