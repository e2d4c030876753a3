// One tile that MTE2, V and MTE3 of an a5 take in turn, by a buffer id alone, without flags.
#include <pto/pto-inst.hpp>

using namespace pto;

__global__ AICORE void bufferIds(__gm__ float* x, __gm__ float* y) {
    constexpr int kRows = 16, kCols = 64, kBuffer = 3;
    using Rows = GlobalTensor<float, Shape<1, 1, 1, kRows, kCols>, Stride<1, 1, 1, kCols, 1>>;
    Tile<TileType::Vec, float, kRows, kCols, BLayout::RowMajor, kRows, kCols> tile;
    TASSIGN(tile, 0);
    for (int part = 0; part < 4; ++part) {
        Rows from(x + part * kRows * kCols), to(y + part * kRows * kCols);
        get_buf(PIPE_MTE2, kBuffer, 0);
        TLOAD(tile, from);
        rls_buf(PIPE_MTE2, kBuffer, 0);
        get_buf(PIPE_V, kBuffer, 0);
        TADDS(tile, tile, 1.0f);
        rls_buf(PIPE_V, kBuffer, 0);
        get_buf(PIPE_MTE3, kBuffer, 0);
        TSTORE(to, tile);
        rls_buf(PIPE_MTE3, kBuffer, 0);
    }
}
